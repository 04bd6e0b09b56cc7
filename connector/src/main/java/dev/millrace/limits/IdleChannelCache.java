package dev.millrace.limits;

import dev.millrace.jetty.JettyInternals;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Components;

/**
 * Gives up what Jetty keeps for the next request of a connection of HTTP/1.1, and can make again. It does so when that request has
 * not come for a while. A servlet's channel, with its streams and their locks, is a fifth of what an idle connection of
 * {@code NioConnector} takes.
 */
final class IdleChannelCache {
    private IdleChannelCache() {}

    /**
     * Called by the scheduler's thread. A request may begin meanwhile: it goes on with what it has found, and the next one makes its own.
     *
     * @param connection what peer and server speak
     */
    static void giveUpCache(Connection connection) {
        HttpParser parser = JettyInternals.parserOf(connection);
        if (parser != null && parser.isStart() && connection.getMessagesIn() > 0) {
            Components components = JettyInternals.componentsOf(connection);
            if (components != null) {
                // Jetty allows that the cache is discarded at any time: see Components.
                components.getCache().clearAttributes();
            }
        }
    }
}
