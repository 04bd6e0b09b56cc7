package dev.millrace.modules;

import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Refuses settings of HTTP/2 with which no client could use it, or send content. Jetty takes them, and ends connections or
 * streams without a word.
 */
public final class Http2Settings {
    private Http2Settings() {}

    /**
     * Called by the modules' XML, behind the settings.
     *
     * @throws IllegalArgumentException if the factory of HTTP/2 has such a setting
     */
    public static void check(ServerConnector connector) {
        AbstractHTTP2ServerConnectionFactory http2 = connector.getBean(AbstractHTTP2ServerConnectionFactory.class);
        // Below 0 there is no limit.
        if (http2.getMaxConcurrentStreams() == 0) {
            throw refusal("maxConcurrentStreams", 0);
        }
        atLeastOne("initialStreamRecvWindow", http2.getInitialStreamRecvWindow());
        atLeastOne("maxSettingsKeys", http2.getMaxSettingsKeys());
        // A new one for each connection: only it tells its limit.
        if (http2.getRateControlFactory().newRateControl(null) instanceof WindowRateControl rate) {
            atLeastOne("maxEventsPerSecond", rate.getEventsPerSecond());
        }
    }

    private static void atLeastOne(String setting, int value) {
        if (value < 1) {
            throw refusal(setting, value);
        }
    }

    private static IllegalArgumentException refusal(String setting, int value) {
        return new IllegalArgumentException(setting + " is at least 1, not " + value);
    }
}
