package dev.millrace.webapp;

import com.sun.management.OperatingSystemMXBean;
import jakarta.servlet.ServletContext;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The figures of {@code /stats}: the process's own, and the listeners' as the server hands them over. */
final class Figures {
    private final ServletContext context;
    private final OperatingSystemMXBean system;

    Figures(ServletContext context) {
        this.context = context;
        // Jetty hides no JDK class; other JVMs may have the plain bean only, then CPU stays unknown.
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
        boolean millrace = listeners.stream().anyMatch(Figures::isOurs);
        figures.put("millrace", millrace);
        figures.put("sendfile", millrace && isSentByTheKernel());
        figures.put("downloads", Application.downloads(context).counts());
        figures.put("listeners", listeners);
        return figures;
    }

    private static boolean isOurs(Object listener) {
        return listener instanceof Map<?, ?> map
            && String.valueOf(map.get("connector")).startsWith("dev.millrace.");
    }

    private boolean isSentByTheKernel() {
        return Boolean.TRUE.equals(context.getAttribute(Attributes.SENDFILE))
            || Delivery.isAccepted(context, Application.fileRoot(context).path());
    }

    private List<?> listeners() {
        if (context.getAttribute(Attributes.LISTENERS) instanceof Supplier<?> supplier
            && supplier.get() instanceof List<?> listeners) {
            return listeners;
        }
        return List.of();
    }
}
