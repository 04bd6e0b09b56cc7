package dev.millrace.webapp;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Counts requests by port, where the server provides no figures. Thread-safe. */
final class RequestCounter implements Filter, Supplier<List<Map<String, Object>>> {
    private final ConcurrentMap<Integer, LongAdder> requests = new ConcurrentHashMap<>();

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        requests.computeIfAbsent(request.getLocalPort(), port -> new LongAdder())
                .increment();
        chain.doFilter(request, response);
    }

    @Override
    public List<Map<String, Object>> get() {
        return requests.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(RequestCounter::figures)
                .toList();
    }

    private static Map<String, Object> figures(Map.Entry<Integer, LongAdder> port) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("name", "Port " + port.getKey());
        figures.put("requests", port.getValue().sum());
        return figures;
    }
}
