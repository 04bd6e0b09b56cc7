package dev.millrace.spring;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import java.util.Locale;
import org.eclipse.jetty.util.VirtualThreads;

/**
 * Sets a connector by an application's properties.
 *
 * @param properties what is set
 * @param isVirtualWanted what spring.threads.virtual.enabled says
 */
record ConnectorSettings(MillraceProperties properties, boolean isVirtualWanted) {
    /**
     * Sets all of them.
     *
     * @throws MillraceConfigurationException for a value that the connector refuses
     */
    void apply(MillraceConnector connector) {
        Setting.set("algorithm", properties.algorithm(), connector::setAlgorithm);
        Setting.set("workers", properties.workers(), connector::setWorkers);
        Setting.set("header-cache-size", properties.headerCacheSize(), connector::setHeaderCacheSize);
        if (connector instanceof BioConnector bio) {
            Setting.set("threads", threads(), bio::setThreads);
            Setting.setBytes("read-ahead-size", properties.readAheadSize(), bio::setReadAheadBytes);
        } else if (connector instanceof NioConnector nio) {
            Setting.set("dispatch", name(properties.dispatch()), nio::setDispatch);
            Setting.set("requests-per-dispatch", properties.requestsPerDispatch(), nio::setRequestsPerDispatch);
        }
        limit(connector, properties.limits());
    }

    private static void limit(MillraceConnector connector, MillraceProperties.Limits limits) {
        Setting.setMillis(
                "limits.request-head-timeout", limits.requestHeadTimeout(), connector::setRequestHeadTimeoutMillis);
        Setting.set(
                "limits.min-request-bytes-per-second",
                limits.minRequestBytesPerSecond(),
                connector::setMinRequestBytesPerSecond);
        Setting.set(
                "limits.min-response-bytes-per-second",
                limits.minResponseBytesPerSecond(),
                connector::setMinResponseBytesPerSecond);
        Setting.setMillis("limits.slow-peer-grace", limits.slowPeerGrace(), connector::setSlowPeerGraceMillis);
        connector.setSlowRequestsAlwaysEnded(limits.slowRequestsAlwaysEnded());
        connector.setGrpcExempt(limits.grpcExempt());
        Setting.setMillis(
                "limits.lingering-close-timeout", limits.lingeringCloseTimeout(), connector::setLingeringCloseMillis);
        Setting.set(
                "limits.lingering-close-size",
                limits.lingeringCloseSize().toBytes(),
                connector::setLingeringCloseBytes);
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
}
