package dev.millrace.files;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Contents with their open files by request path, and paths that lead nowhere; both bounded by number. A content is
 * compared with the file system again after a while, by who asks for it, or by the sweeper when nobody does.
 * Thread-safe.
 *
 * <p>The cache holds one count of each of its files; it may let go of a file that is being sent, which then is closed
 * after the last response that sends it.
 */
final class OpenFileCache {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFileCache.class);
    /** An entry that nobody asked for in so many times of validity is let go. */
    private static final int IDLE_VALIDITIES = 60;
    /** The longest that nanoseconds can tell: three centuries. */
    private static final long FOR_EVER_MILLIS = Long.MAX_VALUE / 1_000_000;
    /** Between the look-up of a content and its write. */
    private static final long GRACE_MILLIS = 100;
    private static final int OPEN_ATTEMPTS = 5;
    /** How often in a validity the sweeper looks for entries that would not be valid at its next look. */
    private static final int SWEEPS = 4;

    private final Cache<String, Entry> entries;
    private final Cache<String, Long> missing;
    private final Queue<SendfileContent> retired = new ConcurrentLinkedQueue<>();
    private final FileCloser closer = new FileCloser();
    /** Null: everywhere. */
    private volatile Containment containment;
    private volatile long validMillis;
    private volatile Scheduler scheduler;
    private volatile Executor executor;
    private volatile Scheduler.Task sweep;
    private volatile int starts;
    private volatile boolean stopped;

    /** Where files may be sent from. */
    interface Containment {
        /** @param real the real path of the file */
        boolean contains(Path file, Path real) throws IOException;
    }

    /** A content and when it was last compared with the file system. */
    private static final class Entry {
        private final SendfileContent content;
        /** Where the path led when it was found; null when that is not known. */
        private final Path real;
        private final AtomicLong checkedNanoTime = new AtomicLong(NanoTime.now());

        private Entry(SendfileContent content) {
            this.content = content;
            URI found = content.getResource().getRealURI();
            this.real = found == null || !"file".equals(found.getScheme()) ? null : Path.of(found);
        }

        private boolean isValid(long validMillis, Containment within) {
            if (!content.file().isOpen() || content.file().isChanged()) {
                return false;
            }
            long checked = checkedNanoTime.get();
            if (validMillis < 0 || NanoTime.millisSince(checked) < validMillis) {
                return true;
            }
            // One looks, the others go on: they are late by no more than this look takes.
            return !checkedNanoTime.compareAndSet(checked, NanoTime.now()) && validMillis > 0
                    || content.file().isCurrent() && isInPlace(within);
        }

        // A file that was moved away and is linked to from its path is the same by all else.
        private boolean isInPlace(Containment within) {
            OpenFile file = content.file();
            try {
                return within != null ? isContained(file, within)
                        : file.path().toRealPath().equals(real);
            } catch (IOException gone) {
                return false;
            }
        }
    }

    OpenFileCache(int maxFiles, long validMillis) {
        this.validMillis = validMillis;
        this.entries = Caffeine.newBuilder()
                .maximumSize(maxFiles)
                .expireAfterAccess(idleMillis(), TimeUnit.MILLISECONDS)
                .executor(Runnable::run)
                .removalListener((String path, Entry entry, RemovalCause cause) -> retire(entry.content))
                .build();
        this.missing = Caffeine.newBuilder().maximumSize(maxFiles).executor(Runnable::run).build();
    }

    private long idleMillis() {
        return validMillis < 0 || validMillis > FOR_EVER_MILLIS / IDLE_VALIDITIES ? FOR_EVER_MILLIS
                : Math.max(validMillis, 100) * IDLE_VALIDITIES;
    }

    /** @param maxFiles the most files that are kept open, and the most missing paths that are remembered */
    void setMaxFiles(int maxFiles) {
        entries.policy().eviction().orElseThrow().setMaximum(maxFiles);
        missing.policy().eviction().orElseThrow().setMaximum(maxFiles);
    }

    int maxFiles() {
        return (int) entries.policy().eviction().orElseThrow().getMaximum();
    }

    /** @param validMillis for how long a file is believed to be unchanged; 0 is not at all, negative is for ever */
    void setValidMillis(long validMillis) {
        this.validMillis = validMillis;
        entries.policy().expireAfterAccess().orElseThrow().setExpiresAfter(idleMillis(), TimeUnit.MILLISECONDS);
    }

    long validMillis() {
        return validMillis;
    }

    /** @return the content for a path, valid; null when it is not known */
    SendfileContent get(String path) {
        Entry entry = entries.getIfPresent(path);
        if (entry == null) {
            return null;
        }
        if (entry.isValid(validMillis, containment)) {
            return entry.content;
        }
        entries.asMap().remove(path, entry);
        return null;
    }

    /** Whether nothing was found for a path lately. */
    boolean isMissing(String path) {
        Long since = missing.getIfPresent(path);
        return since != null && (validMillis < 0 || NanoTime.millisSince(since) < validMillis);
    }

    /** Notes that nothing was found for a path. */
    void putMissing(String path) {
        if (validMillis != 0) {
            missing.put(path, NanoTime.now());
        }
    }

    /** Takes over a content, and its count. */
    void put(String path, SendfileContent content) {
        entries.put(path, new Entry(content));
        // A request may have looked it up while its context was stopped; nobody would let go of it any more.
        if (stopped) {
            entries.invalidate(path);
        }
    }

    /** @param containment asked again once a file is open, and when it is compared: a link may have come, or become another one */
    void setContainment(Containment containment) {
        this.containment = containment;
    }

    boolean isContained() {
        return containment != null;
    }

    /**
     * @return an open file with a count that the caller must release
     * @throws NoSuchFileException also when the file is not where files may be sent from
     */
    OpenFile open(Path path) throws IOException {
        Containment within = containment;
        for (int i = 0; i < OPEN_ATTEMPTS; i++) {
            OpenFile opened = OpenFile.open(path, closer);
            boolean isKept = false;
            try {
                isKept = within == null || isContained(opened, within);
            } finally {
                if (!isKept) {
                    opened.release();
                }
            }
            if (isKept) {
                return opened;
            }
        }
        throw new NoSuchFileException(path.toString(), null, "changes faster than it can be checked");
    }

    private static boolean isContained(OpenFile opened, Containment within) throws IOException {
        Path real = opened.path().toRealPath();
        if (!within.contains(opened.path(), real)) {
            throw new NoSuchFileException(opened.path().toString(), null, "leads out of its root");
        }
        return FileVersion.of(real).equals(opened.version());
    }

    /**
     * @return the file with a count that the caller must release
     * @throws IOException when it cannot be opened, or has another version by now
     */
    OpenFile reopen(Path path, FileVersion version) throws IOException {
        OpenFile opened = open(path);
        if (!opened.version().equals(version)) {
            opened.release();
            throw new FileSystemException(path.toString(), null, "changed while the response was made");
        }
        return opened;
    }

    // Some request may have looked it up just now, and not yet taken its count.
    private void retire(SendfileContent content) {
        retired.add(content);
        Scheduler running = scheduler;
        if (running == null) {
            retireNext();
        } else {
            running.schedule(this::retireNext, GRACE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void retireNext() {
        SendfileContent content = retired.poll();
        if (content != null) {
            content.retire();
        }
    }

    /**
     * Begins to sweep: entries are compared with the file system also when nobody asks for them.
     *
     * @param server whose scheduler tells when, and whose threads do it, for a file system may hang, and must not stop the
     *     server's clock; null when there is none
     */
    void start(Server server) {
        stopped = false;
        if (server == null) {
            LOG.warn("No server: files that nobody asks for are not let go of");
            return;
        }
        this.scheduler = server.getScheduler();
        this.executor = server.getThreadPool();
        closer.start(executor);
        int start = starts + 1;
        starts = start;
        schedule(start);
    }

    private void schedule(int start) {
        Scheduler running = scheduler;
        // A sweep that was under way at the stop may come to its end after the next start, which has one of its own.
        if (running != null && start == starts) {
            sweep = running.schedule(() -> executeSweep(start), sweepMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private long sweepMillis() {
        return validMillis <= 0 ? 1000 : Math.max(50, validMillis / SWEEPS);
    }

    private void executeSweep(int start) {
        Executor running = executor;
        try {
            if (running != null && start == starts) {
                running.execute(() -> sweep(start));
            }
        } catch (RejectedExecutionException busy) {
            LOG.debug("Skipping a sweep: {}", busy.toString());
            schedule(start);
        }
    }

    private void sweep(int start) {
        long dueMillis = validMillis - sweepMillis();
        try {
            entries.asMap().forEach((path, entry) -> {
                if (validMillis >= 0 && NanoTime.millisSince(entry.checkedNanoTime.get()) >= dueMillis
                        && !entry.isValid(0, containment)) {
                    entries.asMap().remove(path, entry);
                }
            });
            entries.cleanUp();
        } finally {
            schedule(start);
        }
    }

    /** Lets go of all files, and sweeps no more. */
    void stop() {
        stopped = true;
        scheduler = null;
        executor = null;
        Scheduler.Task last = sweep;
        if (last != null) {
            last.cancel();
        }
        missing.invalidateAll();
        entries.invalidateAll();
        entries.cleanUp();
        for (SendfileContent content = retired.poll(); content != null; content = retired.poll()) {
            content.retire();
        }
        closer.stop();
    }

    long size() {
        return entries.estimatedSize();
    }

    long missingSize() {
        return missing.estimatedSize();
    }

    @Override
    public String toString() {
        return "OpenFileCache[files=" + size() + "/" + maxFiles() + ",missing=" + missingSize() + ",validMillis="
                + validMillis + "]";
    }
}
