package dev.millrace.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Interleavings;
import java.util.concurrent.Semaphore;
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
                Semaphore start = permits.acquire();
                assertTrue(connections.incrementAndGet() <= 1, "more than the limit");
                connections.decrementAndGet();
                start.release();
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
            Semaphore first = permits.acquire();
            Interleavings.together(() -> first.release(), () -> {
                permits.close();
                permits.open();
            });
            Semaphore second = permits.acquire();
            assertEquals("ConnectionPermits[1 of 1]", permits.toString());
            second.release();
            assertEquals("ConnectionPermits[0 of 1]", permits.toString());
        });
    }
}
