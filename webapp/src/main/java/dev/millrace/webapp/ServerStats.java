package dev.millrace.webapp;

import com.sun.management.OperatingSystemMXBean;
import jakarta.servlet.ServletContext;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The figures of {@code /stats}: those of the process, and those of the listeners from the server. Thread-safe. */
final class ServerStats {
    private final ServletContext context;
    private final @Nullable OperatingSystemMXBean system;

    ServerStats(ServletContext context) {
        this.context = context;
        // JVMs other than HotSpot may lack this bean. Their CPU time is unknown.
        this.system = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean bean ? bean : null;
    }

    Map<String, Object> now() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("timeMillis", System.currentTimeMillis());
        figures.put("uptimeMillis", ManagementFactory.getRuntimeMXBean().getUptime());
        figures.put("cpuMillis", system == null ? null : system.getProcessCpuTime() / 1_000_000);
        figures.put("processors", Runtime.getRuntime().availableProcessors());
        figures.put("java", System.getProperty("java.vm.version"));
        figures.put("server", context.getServerInfo());
        List<?> listeners = listeners();
        boolean millrace = listeners.stream().anyMatch(ServerStats::isMillrace);
        figures.put("millrace", millrace);
        figures.put("sendfile", millrace && usesSendfile());
        figures.put("downloads", FileSender.ofDownloads(context).counts());
        figures.put("listeners", listeners);
        return figures;
    }

    private static boolean isMillrace(Object listener) {
        return listener instanceof Map<?, ?> map
                && String.valueOf(map.get("connector")).startsWith("dev.millrace.");
    }

    private boolean usesSendfile() {
        return Boolean.TRUE.equals(context.getAttribute(ContextAttributes.SENDFILE))
                || FileSender.isAccepted(context, FileRoot.of(context).path());
    }

    private List<?> listeners() {
        if (context.getAttribute(ContextAttributes.LISTENERS) instanceof Supplier<?> supplier
                && supplier.get() instanceof List<?> listeners) {
            return listeners;
        }
        return List.of();
    }
}
