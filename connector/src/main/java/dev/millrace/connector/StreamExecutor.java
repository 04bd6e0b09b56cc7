package dev.millrace.connector;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.TryExecutor;
import org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the requests of one connection of HTTP/2 on the thread that has read them, one after the other, as long as they are quick.
 * Jetty's strategy has a thread run a request if another thread stands ready to go on reading. This executor claims that one does. It
 * provides the thread when the request is about to wait for its peer, or when a look finds that it has not returned. After a
 * request that was not quick it provides a thread for each of those that follow, for a while.
 *
 * <p>A second thread that reads does no harm: the strategy lets it go.
 */
final class StreamExecutor implements TryExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(StreamExecutor.class);

    /** A request that takes no longer is quick: to wake a thread takes a tenth of that. */
    static final long QUICK_NANOS = 100_000;

    private static final int MOST_TO_PASS = 64;
    private static final int LEAST_SPARE_THREADS = 8;

    private final QueuedThreadPool pool;
    private final Executor atOnce;
    private final StreamWatch watch;
    private volatile @Nullable AdaptiveExecutionStrategy strategy;
    // A thread finds itself here only if it has written this. It reads the connection, and has found something.
    private @Nullable Thread reading;
    // Whether the reading thread has claimed that another reads, and what the strategy had counted then.
    private volatile boolean claimed;
    private long returnsBefore;
    private long claimNanoTime;
    private volatile int claims;
    private int toPass;
    private int passed;
    private final BooleanSupplier look = this::look;
    private volatile Runnable onClaim = () -> {};
    private volatile boolean watched;
    // Belongs to the thread that has set watched, and then to the scheduler's.
    private int seenClaims;
    private boolean foundBefore;

    /**
     * @param pool runs the tasks
     * @param atOnce runs what must not wait for a thread of the pool
     * @param watch looks for requests that do not return
     */
    StreamExecutor(QueuedThreadPool pool, Executor atOnce, StreamWatch watch) {
        this.pool = pool;
        this.atOnce = atOnce;
        this.watch = watch;
    }

    /** @param onClaim called by a thread that is about to run a request, and claims that another reads */
    void setOnClaim(Runnable onClaim) {
        this.onClaim = onClaim;
    }

    /** Whether requests may run even on the thread of a selector: those of the connection and of all others have been quick. */
    boolean areQuick() {
        return toPass == 0 && watch.trusts() && hasThreadsToSpare();
    }

    /** Called by the thread that reads the connection, with what it has read. */
    void onFilled(int bytes) {
        AdaptiveExecutionStrategy current = strategy;
        if (reading == Thread.currentThread() && claimed && current != null && hasReturned(current)) {
            end(NanoTime.now());
        }
        reading = bytes > 0 ? Thread.currentThread() : null;
    }

    /** Called by a thread that may be about to wait for the peer. */
    void aboutToBlock() {
        AdaptiveExecutionStrategy current = strategy;
        if (claimed && reading == Thread.currentThread() && current != null && !hasReturned(current)) {
            reading = null;
            Runnable read = () -> read(current);
            try {
                if (!pool.tryExecute(read)) {
                    pool.execute(read);
                }
            } catch (RejectedExecutionException x) {
                LOG.debug("Not read by the pool: {}", pool, x);
            }
            // The claim stands until another reads: should no thread of the pool be left, the next look finds it.
        }
    }

    // The strategy asks before it runs a request. A request asks, through the strategy, when it wants more of its
    // content.
    @Override
    public boolean tryExecute(Runnable task) {
        if (task instanceof AdaptiveExecutionStrategy asking) {
            if (reading == Thread.currentThread() && claims(asking)) {
                return true;
            }
            return readsElsewhere(asking);
        }
        return pool.tryExecute(task);
    }

    @Override
    public void execute(Runnable task) {
        pool.execute(task instanceof AdaptiveExecutionStrategy asking ? () -> read(asking) : task);
    }

    private boolean readsElsewhere(AdaptiveExecutionStrategy asking) {
        Thread before = reading;
        // Before another reads: what this thread runs next is a request.
        reading = null;
        if (pool.tryExecute(() -> read(asking))) {
            return true;
        }
        reading = before;
        return false;
    }

    private void read(AdaptiveExecutionStrategy asking) {
        claimed = false;
        reading = Thread.currentThread();
        asking.run();
    }

    private boolean claims(AdaptiveExecutionStrategy asking) {
        strategy = asking;
        long now = NanoTime.now();
        if (claimed) {
            if (!hasReturned(asking)) {
                return false;
            }
            end(now);
        }
        if (passed < toPass) {
            passed++;
            return false;
        }
        if (!hasThreadsToSpare()) {
            return false;
        }
        returnsBefore = asking.getEPCProduceCount();
        claimNanoTime = now;
        claimed = true;
        int count = claims + 1;
        claims = count;
        onClaim.run();
        if (!watched) {
            watched = true;
            seenClaims = count;
            foundBefore = false;
            watch.add(look);
        }
        return true;
    }

    // Requests that wait hold the threads that ran them, and one that reads on must find another.
    private boolean hasThreadsToSpare() {
        int most = pool.getMaxThreads();
        int spare = most - pool.getThreads() + pool.getIdleThreads() - pool.getQueueSize();
        return spare > Math.max(LEAST_SPARE_THREADS, most / 4);
    }

    private boolean hasReturned(AdaptiveExecutionStrategy asking) {
        return asking.getEPCProduceCount() != returnsBefore;
    }

    private void end(long now) {
        claimed = false;
        if (now - claimNanoTime > QUICK_NANOS) {
            pass();
        } else {
            toPass = 0;
        }
    }

    private void pass() {
        toPass = Math.min(MOST_TO_PASS, toPass * 2 + 1);
        passed = 0;
    }

    // By the scheduler's thread, some milliseconds after the last time. Has another thread read, if the same request
    // runs still. Tells whether this is to be looked at again.
    private boolean look() {
        int now = claims;
        if (now != seenClaims) {
            seenClaims = now;
            foundBefore = false;
            return true;
        }
        AdaptiveExecutionStrategy current = strategy;
        if (current != null && claimed && current.isRunning() && current.isIdle() && !hasReturned(current)) {
            if (!foundBefore) {
                // The machine may just have stood still, or the JVM.
                foundBefore = true;
                return true;
            }
            pass();
            watch.onSlow();
            if (!readsAtOnce(current)) {
                return true;
            }
        }
        watched = false;
        boolean again = claims != now;
        // What began meanwhile has not asked to be looked at.
        watched = again;
        return again;
    }

    private boolean readsAtOnce(AdaptiveExecutionStrategy current) {
        claimed = false;
        reading = null;
        try {
            atOnce.execute(() -> read(current));
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError x) {
            // The JDK says so that there is no thread. There may be one at the next look.
            LOG.debug("No thread reads beside a request that does not return", x);
            claimed = true;
            return false;
        }
    }
}
