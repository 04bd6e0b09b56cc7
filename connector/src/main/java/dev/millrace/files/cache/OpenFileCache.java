package dev.millrace.files.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.millrace.transfer.OpenFileBudget;
import dev.millrace.transfer.PlannedLooks;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Open files by request path, each with what is made of it, and paths that lead nowhere; both bounded by number. A file is
 * compared with the file system by each request, or after a while, and by a sweep where no request asks for it. Thread-safe.
 *
 * <p>The cache holds one count of each of its files. It may let go of a file that is being sent, which then is closed after
 * the last response that sends it.
 *
 * @param <C> what is made of a file
 */
public final class OpenFileCache<C> implements OpenFileBudget.Keeper {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFileCache.class);
    /** The cache lets go of an entry that no request asked for in so many times of validity. */
    private static final int IDLE_VALIDITIES = 60;
    /** The longest that nanoseconds can tell: three centuries. */
    private static final long FOR_EVER_MILLIS = Long.MAX_VALUE / 1_000_000;
    /** What leaves the cache is released after this time: a request may have looked it up, and not taken its count. */
    private static final long GRACE_MILLIS = 100;

    private static final int OPEN_ATTEMPTS = 5;
    /** How often in a validity a sweep looks for entries that would not be valid at the next. */
    private static final int SWEEPS = 4;
    /** The longest pause between two sweeps: the validity may have been made shorter meanwhile. */
    private static final long MOST_PAUSE_MILLIS = 60_000;

    private final IntSupplier maxFiles;
    private final LongSupplier validMillis;
    private final Consumer<C> onRetired;
    private final Cache<String, CachedFile<C>> entries;
    private final Cache<String, Long> missing;
    private final Queue<CachedFile<C>> retired = new ConcurrentLinkedQueue<>();
    private final FileCloser closer = new FileCloser();
    private final OpenFileBudget budget = OpenFileBudget.ofProcess();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder evicted = new LongAdder();
    /** How many files {@link #entries} and {@link #retired} hold together. */
    private final AtomicInteger kept = new AtomicInteger();
    /** Null when files may be anywhere. */
    private volatile @Nullable Containment containment;
    /** Null where a path leads to no other file than before. */
    private volatile @Nullable Finder finder;
    /** Null before a start, after a stop, and without a server. */
    private volatile @Nullable PlannedLooks sweeps;

    private volatile boolean stopped;

    /**
     * @param maxFiles says how many files are kept open at most, and how many missing paths are remembered
     * @param validMillis says for how long a file is taken to be unchanged; 0 is not at all, negative is for ever
     * @param onRetired called when the cache lets go of a file, with what was made of it, before its count is given back
     */
    public OpenFileCache(IntSupplier maxFiles, LongSupplier validMillis, Consumer<C> onRetired) {
        this(maxFiles, validMillis, onRetired, Ticker.systemTicker());
    }

    /** @param clock tells how long no request has asked for an entry */
    OpenFileCache(IntSupplier maxFiles, LongSupplier validMillis, Consumer<C> onRetired, Ticker clock) {
        this.maxFiles = maxFiles;
        this.validMillis = validMillis;
        this.onRetired = onRetired;
        this.entries = Caffeine.newBuilder()
                .maximumSize(maxFiles.getAsInt())
                .expireAfterAccess(idleMillis(), TimeUnit.MILLISECONDS)
                .ticker(clock)
                .executor(Runnable::run)
                .removalListener((@Nullable String path, @Nullable CachedFile<C> entry, RemovalCause cause) -> {
                    if (cause.wasEvicted()) {
                        evicted.increment();
                    }
                    // Never null, for no reference to it is weak.
                    if (entry != null) {
                        retire(entry);
                    }
                })
                .build();
        this.missing = Caffeine.newBuilder()
                .maximumSize(maxFiles.getAsInt())
                .executor(Runnable::run)
                .build();
    }

    private long idleMillis() {
        long valid = validMillis.getAsLong();
        return valid < 0 || valid > FOR_EVER_MILLIS / IDLE_VALIDITIES
                ? FOR_EVER_MILLIS
                : Math.max(valid == 0 ? CachedFile.PLACE_MILLIS : valid, 100) * IDLE_VALIDITIES;
    }

    // The settings may have changed since the caches were made.
    private void adjustBounds() {
        var size = entries.policy().eviction().orElseThrow();
        if (size.getMaximum() != maxFiles.getAsInt()) {
            size.setMaximum(maxFiles.getAsInt());
            missing.policy().eviction().orElseThrow().setMaximum(maxFiles.getAsInt());
        }
        var idle = entries.policy().expireAfterAccess().orElseThrow();
        if (idle.getExpiresAfter(TimeUnit.MILLISECONDS) != idleMillis()) {
            idle.setExpiresAfter(idleMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** @return what was made of the file that a path leads to, valid; null when it is not known */
    public @Nullable C get(String path) {
        CachedFile<C> entry = entries.getIfPresent(path);
        if (entry != null) {
            if (entry.isValid(validMillis.getAsLong(), containment, finder)) {
                hits.increment();
                return entry.content();
            }
            entries.asMap().remove(path, entry);
        }
        misses.increment();
        return null;
    }

    /**
     * @param millis for how long that is remembered; 0 is not at all, negative is for ever
     * @return whether a path is known to lead nowhere
     */
    public boolean isMissing(String path, long millis) {
        Long since = millis == 0 ? null : missing.getIfPresent(path);
        return since != null && (millis < 0 || NanoTime.millisSince(since) < millis);
    }

    /** Notes that a path leads nowhere; {@code millis} as for {@link #isMissing}. */
    public void putMissing(String path, long millis) {
        if (millis != 0) {
            adjustBounds();
            missing.put(path, NanoTime.now());
        }
    }

    /**
     * Opens a file, and keeps it with what is made of it.
     *
     * @param path what was asked for
     * @param file where that was found
     * @param found the real URI of that; null when it is not known
     * @param content makes it of the open file
     * @throws NoSuchFileException also when the file is not where files may be sent from
     */
    public C add(String path, Path file, @Nullable URI found, Function<OpenFile, C> content) throws IOException {
        OpenFile opened = open(path, file);
        CachedFile<C> entry;
        try {
            entry = new CachedFile<>(path, opened, found, content.apply(opened));
            adjustBounds();
        } catch (Throwable x) {
            opened.release();
            throw x;
        }
        // From here on the cache holds the file's count, whatever fails.
        put(path, entry);
        onPut(path);
        return entry.content();
    }

    private void put(String path, CachedFile<C> entry) {
        kept.incrementAndGet();
        try {
            entries.put(path, entry);
        } catch (Throwable x) {
            // For want of memory as a rule: the entry may be there all the same, and may have left again.
            retire(entry);
            entries.asMap().remove(path, entry);
            throw x;
        }
    }

    private void onPut(String path) {
        // A request may have looked it up while its context was stopped: nothing else would let go of it any more.
        if (stopped) {
            entries.invalidate(path);
        }
        PlannedLooks running = sweeps;
        if (running != null) {
            running.resume();
        }
        budget.onKept();
    }

    /** @param containment asked again once a file is open, and when it is compared: a link may have come, or become another one */
    public void setContainment(@Nullable Containment containment) {
        this.containment = containment;
    }

    /** @param finder asked again when a file is compared: its path may lead to another; null: it does not */
    public void setFinder(@Nullable Finder finder) {
        this.finder = finder;
    }

    public boolean isContained() {
        return containment != null;
    }

    /** @return an open file with a count that the caller must release */
    private OpenFile open(String path, Path file) throws IOException {
        Containment within = containment;
        for (int i = 0; i < OPEN_ATTEMPTS; i++) {
            OpenFile opened = OpenFile.open(file, closer);
            try {
                if (within == null || within.contains(path, opened)) {
                    return opened;
                }
            } catch (Throwable x) {
                opened.release();
                throw x;
            }
            opened.release();
        }
        throw new NoSuchFileException(file.toString(), null, "changes faster than it can be checked");
    }

    /**
     * @return the file with a count that the caller must release
     * @throws IOException when it cannot be opened, or has another version by now
     */
    public OpenFile reopen(String path, Path file, FileVersion version) throws IOException {
        OpenFile opened = open(path, file);
        if (!opened.version().equals(version)) {
            opened.release();
            throw new FileSystemException(file.toString(), null, "changed while the response was made");
        }
        return opened;
    }

    private void retire(CachedFile<C> entry) {
        if (!entry.retired().compareAndSet(false, true)) {
            return;
        }
        retired.add(entry);
        PlannedLooks running = sweeps;
        if (running == null || !running.runsLater(this::retireNext, GRACE_MILLIS)) {
            retireNext();
        }
    }

    private void retireNext() {
        CachedFile<C> entry = retired.poll();
        if (entry != null) {
            kept.decrementAndGet();
            onRetired.accept(entry.content());
            entry.file().release();
        }
    }

    @Override
    public int keptFiles() {
        return kept.get();
    }

    // Without a grace: a request that has just looked the file up, and finds it closed, opens it again.
    @Override
    public void giveUp() {
        if (retired.isEmpty()) {
            entries.policy().eviction().orElseThrow().coldest(1).forEach((path, entry) -> {
                if (entries.asMap().remove(path, entry)) {
                    evicted.increment();
                }
            });
        }
        retireNext();
    }

    @Override
    public void closeGivenUp() {
        closer.closeWaiting();
    }

    /**
     * Begins to sweep: entries are compared with the file system also when no request asks for them.
     *
     * @param server whose scheduler tells when, and whose threads do it; null when there is none
     */
    public void start(@Nullable Server server) {
        Mappings.warnIfImpossible();
        budget.add(this);
        stopped = false;
        if (server == null) {
            LOG.warn("No server: files that no request asks for are not let go of");
            return;
        }
        closer.start(server.getThreadPool());
        // By the pool: a file system may hang, and must not stop the server's clock. A sweep that is under way at a
        // stop plans none for the next start, which has plans of its own.
        PlannedLooks started =
                new PlannedLooks(this, server::getScheduler, server.getThreadPool(), this::pauseMillis, this::sweep);
        sweeps = started;
        started.start();
    }

    /** Lets go of all files, and sweeps no more. */
    public void stop() {
        stopped = true;
        PlannedLooks last = sweeps;
        sweeps = null;
        if (last != null) {
            last.stop();
        }
        missing.invalidateAll();
        entries.invalidateAll();
        entries.cleanUp();
        while (!retired.isEmpty()) {
            retireNext();
        }
        closer.stop();
        budget.remove(this);
    }

    private long pauseMillis() {
        long valid = validMillis.getAsLong();
        return valid <= 0 ? CachedFile.PLACE_MILLIS : Math.min(MOST_PAUSE_MILLIS, Math.max(50, valid / SWEEPS));
    }

    private void sweep() {
        long valid = validMillis.getAsLong();
        long dueMillis = valid - pauseMillis();
        adjustBounds();
        entries.asMap().forEach((path, entry) -> {
            if (valid >= 0 && !entry.isValidUntilNextSweep(dueMillis, containment, finder)) {
                entries.asMap().remove(path, entry);
            }
        });
        entries.cleanUp();
    }

    public long size() {
        return entries.estimatedSize();
    }

    /** How often a path led to an open file. */
    public long hits() {
        return hits.sum();
    }

    public long misses() {
        return misses.sum();
    }

    /** How many files were let go of because there were too many, or nobody asked for them. */
    public long evicted() {
        return evicted.sum();
    }

    public long missingSize() {
        return missing.estimatedSize();
    }

    @Override
    public String toString() {
        return "OpenFileCache[files=" + size() + "/" + maxFiles.getAsInt() + ",missing=" + missingSize()
                + ",validMillis=" + validMillis.getAsLong() + "]";
    }
}
