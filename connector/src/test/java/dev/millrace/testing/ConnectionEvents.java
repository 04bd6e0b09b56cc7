package dev.millrace.testing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;

/** What a connector tells of its connections: each is opened once, and closed once. */
public final class ConnectionEvents implements Connection.Listener {
    private final Map<Connection, Integer> open = new ConcurrentHashMap<>();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private volatile Connection last;

    @Override
    public void onOpened(Connection connection) {
        count(connection, 1);
        last = connection;
        opened.incrementAndGet();
    }

    // Jetty's connector may tell of the end first, when a connection ends while it is opened.
    @Override
    public void onClosed(Connection connection) {
        count(connection, -1);
        closed.incrementAndGet();
    }

    private void count(Connection connection, int change) {
        open.merge(connection, change, (a, b) -> a + b == 0 ? null : a + b);
    }

    public int opened() {
        return opened.get();
    }

    public int closed() {
        return closed.get();
    }

    /** The connection that was opened last. */
    public Connection last() {
        return last;
    }

    void assertBalanced() {
        Await.until("every connection closed once for having been opened once", open::isEmpty, open::toString);
        Await.until("as many closed as opened", () -> opened.get() == closed.get());
    }
}
