package dev.millrace.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Interleavings;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Connections that come, go, and are waited for at once: see {@link Interleavings}. A lost permit would leave an acceptor waiting. */
class ConnectionPermitsLincheck {
    private static ConnectionPermits one() {
        ConnectionPermits permits = new ConnectionPermits();
        permits.setMost(1);
        permits.open();
        return permits;
    }

    @Test
    void neverMoreThanTheLimit() {
        Interleavings.explore(() -> {
            ConnectionPermits permits = one();
            AtomicInteger connections = new AtomicInteger();
            Runnable acceptor = () -> {
                int start = permits.acquire();
                assertTrue(connections.incrementAndGet() <= 1, "more than the limit");
                connections.decrementAndGet();
                permits.release(start);
            };
            Interleavings.together(acceptor, acceptor, acceptor);
            assertFalse(permits.areAwaited());
            assertEquals("ConnectionPermits[0 of 1]", permits.toString());
        });
    }

    @Test
    void aStopLetsAllThrough() {
        Interleavings.explore(() -> {
            ConnectionPermits permits = one();
            permits.acquire();
            Interleavings.together(permits::acquire, permits::acquire, permits::close);
            assertFalse(permits.areAwaited());
        });
    }

    /** A permit that comes back after the next start is none of that. */
    @Test
    void aRestartBeginsAnew() {
        Interleavings.explore(() -> {
            ConnectionPermits permits = one();
            int first = permits.acquire();
            Interleavings.together(() -> permits.release(first), () -> {
                permits.close();
                permits.open();
            });
            int second = permits.acquire();
            assertEquals("ConnectionPermits[1 of 1]", permits.toString());
            permits.release(second);
            assertEquals("ConnectionPermits[0 of 1]", permits.toString());
        });
    }
}
