package dev.millrace.connector;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.limits.PeerRates;
import dev.millrace.testing.Await;
import dev.millrace.testing.TestServer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.util.NanoTime;

/**
 * The time of a connector's watch over slow peers, which passes only when a test lets it: on a machine that stands still nobody is
 * slow. Settings may be the defaults.
 */
final class WatchClock {
    private final ConnectionSweeper slowPeers;
    private final AtomicLong nanos = new AtomicLong(NanoTime.now());
    private final long begin = nanos.get();

    static {
        // Which measures from its own beginning: a clock that begins before that would lose a millisecond there.
        new PeerRates();
    }

    /** Before the server is started. */
    WatchClock(TestServer server) {
        slowPeers = server.sweeper();
        // No look of its own.
        slowPeers.setPeriodMillis(TimeUnit.HOURS.toMillis(1));
        slowPeers.setClock(nanos::get);
    }

    /** Lets so many seconds pass, with a look at the end of each; the pool has time to say that it has threads. */
    void pass(int seconds) {
        for (int i = 0; i < seconds; i++) {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            slowPeers.look();
            Await.until("the pool has answered", slowPeers::hasPoolAnswered);
        }
    }

    /** Seconds that have passed. */
    long seconds() {
        return TimeUnit.NANOSECONDS.toSeconds(nanos.get() - begin);
    }
}
