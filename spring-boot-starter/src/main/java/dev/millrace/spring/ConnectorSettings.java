package dev.millrace.spring;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import java.util.Locale;
import java.util.function.Consumer;
import org.eclipse.jetty.util.VirtualThreads;

/**
 * Sets a connector by an application's properties.
 *
 * @param properties what is set
 * @param isVirtualWanted what spring.threads.virtual.enabled says
 */
record ConnectorSettings(MillraceProperties properties, boolean isVirtualWanted) {
    /** @throws MillraceConfigurationException for a value that the connector refuses */
    void apply(MillraceConnector connector) {
        set("algorithm", properties.algorithm(), connector::setAlgorithm);
        set("workers", properties.workers(), connector::setWorkers);
        set("header-cache-size", properties.headerCacheSize(), connector::setHeaderCacheSize);
        if (connector instanceof BioConnector bio) {
            set("threads", threads(), bio::setThreads);
            set(
                    "read-ahead-size",
                    properties.readAheadSize().toBytes(),
                    bytes -> bio.setReadAheadBytes(Math.toIntExact(bytes)));
        } else if (connector instanceof NioConnector nio) {
            set("dispatch", name(properties.dispatch()), nio::setDispatch);
            set("requests-per-dispatch", properties.requestsPerDispatch(), nio::setRequestsPerDispatch);
        }
        limit(connector, properties.limits());
    }

    private static void limit(MillraceConnector connector, MillraceProperties.Limits limits) {
        set(
                "limits.request-head-timeout",
                limits.requestHeadTimeout().toMillis(),
                connector::setRequestHeadTimeoutMillis);
        set(
                "limits.min-request-bytes-per-second",
                limits.minRequestBytesPerSecond(),
                connector::setMinRequestBytesPerSecond);
        set(
                "limits.min-response-bytes-per-second",
                limits.minResponseBytesPerSecond(),
                connector::setMinResponseBytesPerSecond);
        set("limits.slow-peer-grace", limits.slowPeerGrace().toMillis(), connector::setSlowPeerGraceMillis);
        connector.setSlowRequestsAlwaysEnded(limits.slowRequestsAlwaysEnded());
        connector.setGrpcExempt(limits.grpcExempt());
        set(
                "limits.lingering-close-timeout",
                limits.lingeringCloseTimeout().toMillis(),
                connector::setLingeringCloseMillis);
        set("limits.lingering-close-size", limits.lingeringCloseSize().toBytes(), connector::setLingeringCloseBytes);
    }

    private String threads() {
        MillraceProperties.Threads wanted = properties.threads();
        if (wanted == MillraceProperties.Threads.VIRTUAL && !VirtualThreads.areSupported()) {
            throw new MillraceConfigurationException(
                    "The property millrace.threads is virtual, and this JDK has no virtual threads: it is "
                            + Runtime.version().feature() + ".",
                    "Run the application on JDK 21 or newer, or set millrace.threads=platform.",
                    null);
        }
        if (wanted == null) {
            return name(isVirtualWanted ? MillraceProperties.Threads.VIRTUAL : MillraceProperties.Threads.PLATFORM);
        }
        return name(wanted);
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static <T> void set(String property, T value, Consumer<T> setter) {
        try {
            setter.accept(value);
        } catch (IllegalArgumentException | ArithmeticException x) {
            throw new MillraceConfigurationException(
                    "The property millrace." + property + " cannot be " + value + ": " + x.getMessage() + ".",
                    "Correct the value of millrace." + property + ", or remove it for the default.",
                    x);
        }
    }
}
