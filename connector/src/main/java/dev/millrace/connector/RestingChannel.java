package dev.millrace.connector;

import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Components;
import org.eclipse.jetty.server.internal.HttpConnection;

/**
 * Gives up what Jetty keeps with a connection of HTTP/1.1 for its next request and can make again, when that has not come for a
 * while: a servlet's channel, with its streams and their locks, is a fifth of what an idle connection of {@link NioConnector} takes.
 */
final class RestingChannel {
    private RestingChannel() {
    }

    /**
     * Called by the scheduler's thread. A request may begin meanwhile: it goes on with what it has found, and the next one makes its own.
     *
     * @param connection what peer and server speak
     */
    static void giveUpCache(Connection connection) {
        if (connection instanceof HttpConnection http && http.getParser().isStart() && http.getMessagesIn() > 0
                && http.getHttpChannel() instanceof Components components) {
            // It may be discarded at any time: see Components.
            components.getCache().clearAttributes();
        }
    }
}
