package dev.millrace.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;

/** What a connector tells of its connections: each is opened once, and closed once. */
public final class ConnectionEvents implements Connection.Listener {
    private final Map<Connection, AtomicInteger> open = new ConcurrentHashMap<>();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private volatile Connection last;

    @Override
    public void onOpened(Connection connection) {
        open.computeIfAbsent(connection, c -> new AtomicInteger()).incrementAndGet();
        last = connection;
        opened.incrementAndGet();
    }

    @Override
    public void onClosed(Connection connection) {
        AtomicInteger count = open.computeIfAbsent(connection, c -> new AtomicInteger());
        if (count.decrementAndGet() == 0) {
            open.remove(connection);
        }
        closed.incrementAndGet();
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
        assertEquals(opened.get(), closed.get());
    }
}
