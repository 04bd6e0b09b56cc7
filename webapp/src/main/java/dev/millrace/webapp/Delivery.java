package dev.millrace.webapp;

import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * Answers with a file: names it to a server that sends named files by itself, and streams it on every other. The server
 * is asked for each file, because it may be told to stop, and because not all files may be named. Thread-safe.
 */
final class Delivery {
    private static final String X_SENDFILE = "X-Sendfile";

    private final ServletContext context;
    private final LongAdder handedOver = new LongAdder();
    private final LongAdder streamed = new LongAdder();

    Delivery(ServletContext context) {
        this.context = context;
    }

    void send(Path file, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (isAccepted(context, file)) {
            handedOver.increment();
            FileResponse.describe(file, request, response);
            response.setHeader(X_SENDFILE, file.toString());
        } else {
            streamed.increment();
            FileResponse.send(file, request, response);
        }
    }

    /** How many answers went which way, ready for JSON. */
    Map<String, Object> counts() {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("byXSendfile", handedOver.sum());
        counts.put("streamed", streamed.sum());
        return counts;
    }

    @SuppressWarnings("unchecked")
    static boolean isAccepted(ServletContext context, Path file) {
        return context.getAttribute(Attributes.X_SENDFILE) instanceof Predicate<?> accepted
            && ((Predicate<Path>) accepted).test(file);
    }
}
