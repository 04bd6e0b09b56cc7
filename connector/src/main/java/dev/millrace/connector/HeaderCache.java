package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;

/**
 * Sets the size of the parser's cache of header fields for each HTTP/1.1 connection that opens. It may open at once, inside
 * TLS, or after a protocol was negotiated.
 *
 * <p>Jetty's default, made for few long-lived connections, is a trie of about 98 KB of heap for each connection. A
 * fifth of a request's CPU goes into its misses when many connections are busy.
 *
 * <p>Public for JMX alone; a connector makes its own. Thread-safe.
 */
@ManagedObject("Cache of request header fields of each connection")
public final class HeaderCache implements Connection.Listener {
    /** Leaves it to the {@code HttpConfiguration}. */
    static final int AS_CONFIGURED = -1;

    private volatile int size;

    HeaderCache() {}

    @ManagedAttribute("Size of each connection's cache of header fields; -1: as the HttpConfiguration says")
    public int getSize() {
        return size;
    }

    void setSize(int size) {
        this.size = size;
    }

    @Override
    public void onOpened(Connection connection) {
        HttpParser parser = JettyInternals.parserOf(connection);
        int now = size;
        if (now != AS_CONFIGURED && parser != null) {
            parser.setHeaderCacheSize(now);
        }
    }

    @Override
    public String toString() {
        return "HeaderCache[" + size + "]";
    }
}
