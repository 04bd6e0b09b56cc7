package dev.millrace.connector;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.thread.Scheduler;

/** Looks every few milliseconds for requests of HTTP/2 that do not return, while some have begun. Thread-safe. */
final class StreamWatch {
    /** A request that two looks find is slow. */
    static final long LOOK_MILLIS = 4;

    private static final long LEAST_DISTRUST_MILLIS = 1000;
    private static final long MOST_DISTRUST_MILLIS = 60_000;

    private final Supplier<Scheduler> scheduler;
    private final Queue<BooleanSupplier> watched = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile long trustedFrom = NanoTime.now() + TimeUnit.MILLISECONDS.toNanos(LEAST_DISTRUST_MILLIS);
    // Belongs to the scheduler's thread.
    private long distrustMillis = LEAST_DISTRUST_MILLIS;

    StreamWatch(Supplier<Scheduler> scheduler) {
        this.scheduler = scheduler;
    }

    /** @param look what to look at, until it says that it need not be looked at again */
    void add(BooleanSupplier look) {
        watched.add(look);
        lookSoon();
    }

    private void lookSoon() {
        if (looking.compareAndSet(false, true)) {
            scheduler.get().schedule(this::look, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        watched.removeIf(look -> !look.getAsBoolean());
        looking.set(false);
        if (!watched.isEmpty()) {
            lookSoon();
        }
    }

    /** Called by the scheduler's thread, when a request was found that does not return. */
    void onSlow() {
        long now = NanoTime.now();
        long trustedMillis = NanoTime.millisElapsed(trustedFrom, now);
        distrustMillis = trustedMillis > distrustMillis
                ? LEAST_DISTRUST_MILLIS
                : Math.min(MOST_DISTRUST_MILLIS, trustedMillis < 0 ? distrustMillis : 2 * distrustMillis);
        trustedFrom = now + TimeUnit.MILLISECONDS.toNanos(distrustMillis);
    }

    /** Whether no such request was found for some time: a second, and up to a minute when they come again and again. */
    boolean trusts() {
        return NanoTime.isBeforeOrSame(trustedFrom, NanoTime.now());
    }
}
