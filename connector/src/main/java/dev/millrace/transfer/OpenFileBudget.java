package dev.millrace.transfer;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many files all caches of a process may keep open together. A connection needs a descriptor too, and the system
 * refuses to accept it when none is left (accept(2), EMFILE). Caches get a quarter of what the process may have, and
 * for some seconds after a refusal a small part of that. Thread-safe.
 */
public final class OpenFileBudget {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFileBudget.class);
    /** Caches may keep one in so many of the descriptors. */
    private static final int SHARE = 4;
    /** What they may keep for some seconds after the system has refused a descriptor: one in so many. */
    private static final int SCARCE_SHARE = 32;

    private static final long SCARCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** For so long after one thread has made room, others that were refused are told to try again. */
    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Files that are given up before the system is asked again. */
    private static final int STEP_FILES = 8;

    private final long limit;
    private final BooleanSupplier isDescriptorLeft;
    private final Set<Keeper> keepers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean hasLoggedBound = new AtomicBoolean();
    private final WarningLimit warnings = new WarningLimit();
    // In the beginning it is long ago that descriptors were scarce.
    private volatile long scarceNanoTime = NanoTime.now() - SCARCE_NANOS;

    /** Keeps files open that it can do without. Thread-safe; compared by identity. */
    public interface Keeper {
        /** @return how many files it keeps open */
        int keptFiles();

        /**
         * Gives up the file that was asked for least, if there is any. It may be closed by another thread, or when its
         * last answer ends.
         */
        void giveUp();

        /** Closes what was given up and is not being sent, before it returns. */
        void closeGivenUp();
    }

    /** Loaded with the first cache. */
    private static final class OfProcess {
        private static final OpenFileBudget BUDGET =
                new OpenFileBudget(SystemLimits.descriptors(), OpenFileBudget::canOpenSocket);
    }

    /**
     * @param limit how many descriptors the process may have
     * @param isDescriptorLeft whether it can have another
     */
    OpenFileBudget(long limit, BooleanSupplier isDescriptorLeft) {
        this.limit = limit;
        this.isDescriptorLeft = isDescriptorLeft;
    }

    /** @return what all caches of this process share */
    public static OpenFileBudget ofProcess() {
        return OfProcess.BUDGET;
    }

    private static boolean canOpenSocket() {
        try (SocketChannel socket = SocketChannel.open()) {
            return socket.isOpen();
        } catch (IOException x) {
            LOG.debug("No descriptor left", x);
            return false;
        }
    }

    /** @param keeper may be asked from now on to give up files */
    public void add(Keeper keeper) {
        keepers.add(keeper);
    }

    /** @param keeper keeps nothing any more */
    public void remove(Keeper keeper) {
        keepers.remove(keeper);
    }

    /** @return the most files that all keepers may keep at this moment, at least 1 */
    public int maxFiles() {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, limit / (isScarce() ? SCARCE_SHARE : SHARE)));
    }

    private boolean isScarce() {
        return NanoTime.since(scarceNanoTime) < SCARCE_NANOS;
    }

    /** Called by a cache that has begun to keep a file. When there are too many, the cache that keeps the most gives some up. */
    public void onKept() {
        int most = maxFiles();
        int kept = keptFiles();
        if (kept > most) {
            if (!isScarce() && hasLoggedBound.compareAndSet(false, true)) {
                LOG.info(
                        "All caches together keep {} files open, a quarter of the {} descriptors of this process (ulimit -n)",
                        most,
                        limit);
            }
            giveUp(kept - most);
        }
    }

    private int keptFiles() {
        int sum = 0;
        for (Keeper keeper : keepers) {
            sum += keeper.keptFiles();
        }
        return sum;
    }

    private void giveUp(int files) {
        for (int i = 0; i < files; i++) {
            keepers.stream().max(Comparator.comparingInt(Keeper::keptFiles)).ifPresent(Keeper::giveUp);
        }
    }

    /**
     * Called by a thread that was refused a descriptor. Has files closed that were given up before. Where that does not do, has others
     * given up and closed until there is one.
     *
     * @return whether room was made just now, by any thread, and a descriptor is left: the caller may try again at once
     */
    public synchronized boolean makeRoom() {
        if (!isDescriptorLeft.getAsBoolean()) {
            // Files that were given up before may only wait to be closed.
            keepers.forEach(Keeper::closeGivenUp);
            if (isDescriptorLeft.getAsBoolean()) {
                return true;
            }
            giveUpKept(keptFiles());
        }
        return NanoTime.since(scarceNanoTime) < RECENT_NANOS && isDescriptorLeft.getAsBoolean();
    }

    private void giveUpKept(int kept) {
        if (kept == 0) {
            return;
        }
        scarceNanoTime = NanoTime.now();
        int given = Math.max(STEP_FILES, kept - maxFiles());
        close(given);
        while (!isDescriptorLeft.getAsBoolean() && given < kept) {
            close(STEP_FILES);
            given += STEP_FILES;
        }
        long unsaid = warnings.next();
        if (unsaid >= 0) {
            LOG.warn(
                    "No descriptor of {} was left (ulimit -n): gave up {} files that were kept open{}",
                    limit,
                    Math.min(given, kept),
                    unsaid == 0 ? "" : ", and did so " + unsaid + " more times since the last such line");
        }
    }

    private void close(int files) {
        giveUp(files);
        keepers.forEach(Keeper::closeGivenUp);
    }

    @Override
    public String toString() {
        return "OpenFileBudget[files=" + keptFiles() + "/" + maxFiles() + ",descriptors=" + limit + "]";
    }
}
