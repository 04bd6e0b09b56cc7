package dev.millrace.files.cache;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;

/**
 * A file that a cache keeps open, and when it was last compared with the file system. Thread-safe.
 *
 * @param <C> what is made of a file
 * @param path what was asked for
 * @param real where the path led when it was found; null when that is not known
 * @param retired whether the cache has let go of it
 */
record CachedFile<C>(
        String path, OpenFile file, @Nullable Path real, C content, AtomicLong checkedNanoTime, AtomicBoolean retired) {
    /**
     * How often a cache in which each request looks at its file asks besides where the path leads, and whether the file
     * may be read. That costs some ten system calls.
     */
    static final long PLACE_MILLIS = 1000;

    /** @param found the real URI of what was found; null when it is not known */
    CachedFile(String path, OpenFile file, @Nullable URI found, C content) {
        this(
                path,
                file,
                found == null || !"file".equals(found.getScheme()) ? null : Path.of(found),
                content,
                new AtomicLong(NanoTime.now()),
                new AtomicBoolean());
    }

    /**
     * Asked for a request.
     *
     * @param validMillis 0: each request looks at the file; negative: none does
     * @param within null: files may be anywhere
     * @param finder null: the path leads to no other file
     */
    boolean isValid(long validMillis, @Nullable Containment within, @Nullable Finder finder) {
        if (!file.isOpen() || file.isChanged()) {
            return false;
        }
        if (validMillis < 0) {
            return true;
        }
        long checked = checkedNanoTime.get();
        if (NanoTime.millisSince(checked) >= (validMillis == 0 ? PLACE_MILLIS : validMillis)
                && checkedNanoTime.compareAndSet(checked, NanoTime.now())) {
            return file.isCurrent() && isInPlace(within) && isFound(finder);
        }
        // Only one thread looks in full. The others go on, and are late by no more than that look takes.
        return validMillis > 0 || (file.isUnchanged() && isFound(finder));
    }

    /** Asked by a sweep: looks in full if nothing has for so long. */
    boolean isValidUntilNextSweep(long dueMillis, @Nullable Containment within, @Nullable Finder finder) {
        if (NanoTime.millisSince(checkedNanoTime.get()) < dueMillis) {
            return true;
        }
        checkedNanoTime.set(NanoTime.now());
        return !file.isChanged() && file.isCurrent() && isInPlace(within) && isFound(finder);
    }

    // A file that was moved away, and is linked to from its path, is the same by all else.
    private boolean isInPlace(@Nullable Containment within) {
        try {
            return within == null ? file.path().toRealPath().equals(real) : within.contains(path, file);
        } catch (IOException gone) {
            return false;
        }
    }

    private boolean isFound(@Nullable Finder finder) {
        try {
            return finder == null || file.path().equals(finder.find(path, file.path()));
        } catch (IOException gone) {
            return false;
        }
    }
}
