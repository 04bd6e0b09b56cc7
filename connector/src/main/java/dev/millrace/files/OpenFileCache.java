package dev.millrace.files;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.NanoTime;

/**
 * Open files by path, bounded by number, compared with the file system again after a while. Thread-safe.
 *
 * <p>The cache holds one count of each of its files; it may let go of a file that is being sent, which then is closed
 * by the last response that sends it.
 */
final class OpenFileCache {
    private final long validMillis;
    private final Cache<Path, Entry> entries;

    /** A file and when it was last compared with the file system. */
    private static final class Entry {
        private final OpenFile file;
        private volatile long checkedNanoTime = NanoTime.now();

        private Entry(OpenFile file) {
            this.file = file;
        }

        private boolean isValid(long validMillis) {
            if (NanoTime.millisSince(checkedNanoTime) < validMillis) {
                return file.channel().isOpen();
            }
            boolean current = file.isCurrent();
            checkedNanoTime = NanoTime.now();
            return current;
        }
    }

    /**
     * @param maxFiles the most files that are kept open
     * @param validMillis for how long a file is believed to be unchanged
     */
    OpenFileCache(int maxFiles, long validMillis) {
        this.validMillis = validMillis;
        this.entries = Caffeine.newBuilder()
                .maximumSize(maxFiles)
                .expireAfterAccess(Math.max(validMillis, 1) * 60, TimeUnit.MILLISECONDS)
                .executor(Runnable::run)
                .removalListener((Path path, Entry entry, RemovalCause cause) -> entry.file.release())
                .build();
    }

    /**
     * @param path a regular file
     * @param sizeBytes the size, and
     * @param lastModified the time, that the response's headers state: never the bytes of another version
     * @return the open file, with a count that the caller must release
     * @throws IOException when it cannot be opened, or is no longer what the headers state
     */
    OpenFile acquire(Path path, long sizeBytes, Instant lastModified) throws IOException {
        while (true) {
            Entry entry = entries.getIfPresent(path);
            if (entry != null && entry.isValid(validMillis) && entry.file.is(sizeBytes, lastModified)
                    && entry.file.retain()) {
                return entry.file;
            }
            if (entry != null) {
                entries.asMap().remove(path, entry);
            }
            OpenFile opened = OpenFile.open(path);
            if (!opened.is(sizeBytes, lastModified)) {
                opened.release();
                throw new IOException(path + " changed while the response was made");
            }
            opened.retain();
            if (entries.asMap().putIfAbsent(path, new Entry(opened)) == null) {
                return opened;
            }
            // Somebody else was faster: take his, and give both counts of ours back.
            opened.release();
            opened.release();
        }
    }

    /** Lets go of all files. */
    void clear() {
        entries.invalidateAll();
        entries.cleanUp();
    }

    long size() {
        return entries.estimatedSize();
    }
}
