package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;

/**
 * Sets the size of the parser's cache of header fields for each HTTP/1.1 connection that opens, be it at once, inside
 * TLS, or after a protocol was negotiated.
 *
 * <p>Jetty's default, made for few long-lived connections, is a trie of about 98 KB of heap for each connection. A
 * fifth of a request's CPU goes into its misses when many connections are busy.
 */
final class HeaderCache implements Connection.Listener {
    /** Leaves it to the {@code HttpConfiguration}. */
    static final int AS_CONFIGURED = -1;

    private volatile int size;

    int getSize() {
        return size;
    }

    void setSize(int size) {
        if (size < AS_CONFIGURED) {
            throw new IllegalArgumentException("headerCacheSize is at least -1, not " + size);
        }
        this.size = size;
    }

    @Override
    public void onOpened(Connection connection) {
        HttpParser parser = JettyInternals.parserOf(connection);
        if (size != AS_CONFIGURED && parser != null) {
            parser.setHeaderCacheSize(size);
        }
    }

    @Override
    public String toString() {
        return "HeaderCache[" + size + "]";
    }
}
