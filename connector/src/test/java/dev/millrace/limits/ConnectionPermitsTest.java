package dev.millrace.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections are as many as may be, whichever thread gives back what, and when. */
@Timeout(60)
class ConnectionPermitsTest {
    private final ConnectionPermits permits = new ConnectionPermits();

    ConnectionPermitsTest() {
        permits.setMost(1);
        permits.open();
    }

    /** Some write "no limit" so. */
    @Test
    void asManyAsANumberCanSayAreLetThroughToo() {
        permits.setMost(Integer.MAX_VALUE);
        permits.acquire();
        assertEquals(1, permits.getTaken());
        permits.close();
        permits.close();
        assertEquals(0, permits.getTaken());
    }

    // By an acceptor that is late.
    @Test
    void whatIsOfTheLastStartIsNoneOfTheNext() throws Exception {
        Semaphore late = permits.acquire();
        permits.open();
        Semaphore taken = permits.acquire();
        CompletableFuture<Semaphore> next = CompletableFuture.supplyAsync(permits::acquire);
        late.release();
        assertEquals("ConnectionPermits[1 of 1]", permits.toString());
        taken.release();
        next.get(30, TimeUnit.SECONDS);
        assertEquals("ConnectionPermits[1 of 1]", permits.toString());
    }

    /** Of two acceptors, one waits for a peer with the permit that the other waits for. */
    @Test
    void areNotAwaitedWhileAnAcceptorHasOne() throws Exception {
        permits.acquire();
        Thread other = new Thread(permits::acquire);
        other.start();
        Await.until("waits", () -> other.getState() == Thread.State.WAITING);
        assertFalse(permits.areAwaited());
        try (SocketChannel channel = SocketChannel.open()) {
            permits.onAccepting(channel);
            assertTrue(permits.areAwaited());
            permits.onClosed(channel);
        }
        other.join();
        assertFalse(permits.areAwaited());
    }

    @Test
    void aConnectionGivesItsOwnBackOnce() throws Exception {
        permits.acquire();
        try (SocketChannel channel = SocketChannel.open()) {
            permits.onAccepting(channel);
            permits.onAcceptFailed(channel, new Exception("closed"));
            permits.onClosed(channel);
        }
        assertEquals("ConnectionPermits[0 of 1]", permits.toString());
    }
}
