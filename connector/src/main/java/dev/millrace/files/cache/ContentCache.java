package dev.millrace.files.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bytes of small files that are asked for often, and of larger ones that the kernel cannot send. They lie in memory outside the
 * Java heap, as Jason Greene described for Undertow in 2012. A file comes in with its fifth recent use, read by one of the
 * requests for it. One that was written a moment ago stays out. The least used leave when room is needed. The order of use is noted at
 * every fifth use only. Thread-safe.
 */
public final class ContentCache {
    private static final Logger LOG = LoggerFactory.getLogger(ContentCache.class);
    private static final int ADMITTING_USES = 5;
    private static final int SAMPLED_USES = 5;
    private static final long RECENT_MILLIS = 10_000;
    /** The clocks of some file systems tick once in two seconds. A file that is written twice within a tick has the same time. */
    private static final long TICK_MILLIS = 2000;
    /** After so many evictions there is none for {@link #FULL_MILLIS}: files that do not all fit would evict each other without end. */
    private static final int MAX_EVICTIONS = 64;

    private static final long FULL_MILLIS = 100;
    /** The part of all memory that one file may take which the kernel cannot send. */
    private static final int COPIED_SHARE = 4;

    private final GrowingMemory memory;
    private final int maxFileBytes;
    private final int maxCopiedFileBytes;
    private final Cache<Slot, ContentMemory> policy;
    private final Counts counts;
    private final AtomicInteger evictions = new AtomicInteger();
    private volatile long fullSinceNanoTime;
    private volatile boolean full;
    private volatile long replacedNanoTime = NanoTime.now() - TimeUnit.MILLISECONDS.toNanos(FULL_MILLIS);

    /**
     * What caches have counted that followed one another: each start of their owner makes a new one.
     *
     * @param hits how often bytes of a file were asked for that were there
     * @param misses how often they were not there, and could have been
     * @param admissions how many files have come in
     * @param evicted how many have left for others
     */
    public record Counts(LongAdder hits, LongAdder misses, LongAdder admissions, LongAdder evicted) {
        public Counts() {
            this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
        }
    }

    /** What the cache knows of one version of a file. */
    public final class Slot {
        private final OpenFile file;
        private final AtomicInteger recentUses = new AtomicInteger();
        private final AtomicBoolean filling = new AtomicBoolean();
        private volatile @Nullable ContentMemory memory;
        private volatile boolean retired;
        private volatile long sinceNanoTime = NanoTime.now();
        // Not atomic: it only says which uses the policy is told of.
        private int uses;

        private Slot(OpenFile file) {
            this.file = file;
        }

        private boolean isWanted() {
            if (NanoTime.millisSince(sinceNanoTime) > RECENT_MILLIS) {
                sinceNanoTime = NanoTime.now();
                recentUses.set(0);
            }
            return recentUses.incrementAndGet() >= ADMITTING_USES;
        }

        // A time that lies ahead is of another clock, such as a file server's: such a file stays out.
        private boolean hasSettled() {
            return System.currentTimeMillis() - file.version().modified().toMillis() > TICK_MILLIS;
        }

        /**
         * Whether the file is worth its place for all answers. A larger one is where the kernel cannot send it: to read it costs a fifth
         * of what it takes to encrypt and write it. That one comes in where there is room, and takes none from small ones.
         */
        public boolean isSmall() {
            return file.size() <= maxFileBytes;
        }

        /**
         * Counts a use.
         *
         * @return the bytes of the file, with a count that the caller must release; null when they are not here
         */
        public @Nullable ContentMemory use() {
            ContentMemory content = memory;
            if (content != null && content.tryRetain()) {
                counts.hits.increment();
                if (++uses % SAMPLED_USES == 0) {
                    // Counts as a use.
                    var unused = policy.getIfPresent(this);
                }
                return content;
            }
            counts.misses.increment();
            return isWanted() && hasSettled() && mayTakeMore() && filling.compareAndSet(false, true)
                    ? fill(this)
                    : null;
        }

        /** This version of the file is no more: its bytes leave. */
        public void retire() {
            retired = true;
            if (memory != null) {
                policy.invalidate(this);
            }
        }
    }

    /** @param maxFileBytes the size of the largest file that may come in */
    public ContentCache(GrowingMemory memory, int maxBytes, int maxFileBytes, Counts counts) {
        this.counts = counts;
        this.memory = memory;
        this.maxFileBytes = Math.min(maxFileBytes, memory.blockBytes());
        this.maxCopiedFileBytes = Math.min(maxBytes / COPIED_SHARE, memory.blockBytes());
        this.policy = Caffeine.newBuilder()
                .maximumWeight(maxBytes / SliceMemory.SLICE_BYTES)
                .weigher((Slot slot, ContentMemory content) -> content.slices())
                .executor(Runnable::run)
                .removalListener((@Nullable Slot slot, @Nullable ContentMemory content, RemovalCause cause) -> {
                    // Neither is null, for no reference is weak.
                    if (slot != null && content != null) {
                        onRemoved(slot, content, cause);
                    }
                })
                .build();
    }

    /**
     * @param counts which this goes on with
     * @return null for a size of 0
     */
    public static @Nullable ContentCache of(@Nullable Path largePages, int bytes, int maxFileBytes, Counts counts) {
        return bytes == 0
                ? null
                : new ContentCache(GrowingMemory.of(largePages, bytes, maxFileBytes), bytes, maxFileBytes, counts);
    }

    private void onRemoved(Slot slot, ContentMemory content, RemovalCause cause) {
        if (cause.wasEvicted()) {
            counts.evicted.increment();
        }
        slot.memory = null;
        slot.recentUses.set(0);
        content.release();
    }

    /** @return null for a file that is too large ever to come in */
    public @Nullable Slot slot(OpenFile file) {
        return file.size() > Math.max(maxFileBytes, maxCopiedFileBytes) ? null : new Slot(file);
    }

    private @Nullable ContentMemory fill(Slot slot) {
        try {
            ContentMemory content = slot.memory == null ? allocateFor(slot) : null;
            if (content == null) {
                slot.recentUses.set(0);
                return null;
            }
            return read(slot, content) ? admit(slot, content) : null;
        } finally {
            slot.filling.set(false);
        }
    }

    private static boolean read(Slot slot, ContentMemory content) {
        boolean isRead = false;
        // The caller need not hold a count: what is closed must not be opened again.
        if (slot.file.tryRetain()) {
            try {
                slot.file.read(content.writable(), 0);
                isRead = true;
            } catch (IOException x) {
                LOG.debug("Cannot read {}", slot.file, x);
            } finally {
                slot.file.release();
                if (!isRead) {
                    content.release();
                }
            }
        } else {
            content.release();
        }
        return isRead;
    }

    private ContentMemory admit(Slot slot, ContentMemory content) {
        // This count is the caller's; the first is the cache's.
        content.retain();
        slot.memory = content;
        counts.admissions.increment();
        policy.put(slot, content);
        if (slot.retired) {
            policy.invalidate(slot);
        }
        return content;
    }

    private @Nullable ContentMemory allocateFor(Slot slot) {
        int bytes = (int) slot.file.size();
        return bytes > maxFileBytes ? allocateLarge(bytes) : allocate(bytes);
    }

    // More large files than there is room for take each other's places ten times a second: that costs a read each.
    private @Nullable ContentMemory allocateLarge(int bytes) {
        ContentMemory content = memory.allocate(bytes);
        if (content == null && NanoTime.millisSince(replacedNanoTime) >= FULL_MILLIS) {
            replacedNanoTime = NanoTime.now();
            if (evictColdest(SliceMemory.slices(bytes))) {
                content = memory.allocate(bytes);
            }
        }
        return content;
    }

    private @Nullable ContentMemory allocate(int bytes) {
        ContentMemory content = memory.allocate(bytes);
        while (content == null && evictions.getAndIncrement() < MAX_EVICTIONS && evictColdest(1)) {
            content = memory.allocate(bytes);
        }
        if (content == null) {
            fullSinceNanoTime = NanoTime.now();
            full = true;
        }
        return content;
    }

    private boolean evictColdest(int leastSlices) {
        Map<Slot, ContentMemory> coldest =
                policy.policy().eviction().orElseThrow().coldest(1);
        if (coldest.values().stream().anyMatch(content -> content.slices() < leastSlices)) {
            return false;
        }
        coldest.keySet().forEach(policy::invalidate);
        counts.evicted.add(coldest.size());
        return !coldest.isEmpty();
    }

    // Asked before room is searched for: a file that does not come in asks again with each use.
    private boolean mayTakeMore() {
        if (full && NanoTime.millisSince(fullSinceNanoTime) >= FULL_MILLIS) {
            evictions.set(0);
            full = false;
        }
        return !full;
    }

    /** All leave; an answer that still sends keeps what it sends. */
    public void clear() {
        policy.invalidateAll();
        policy.cleanUp();
    }

    /** @return bytes of the slices that are given out */
    public long usedBytes() {
        return (long) memory.usedSlices() * SliceMemory.SLICE_BYTES;
    }

    /** @return how many files are here, about */
    public long files() {
        return policy.estimatedSize();
    }

    /** @return bytes that were taken from the system, used or not */
    public long takenBytes() {
        return memory.takenBytes();
    }

    @Override
    public String toString() {
        return "ContentCache[files=" + files() + ",usedBytes=" + usedBytes() + ",takenBytes=" + takenBytes() + ",hits="
                + counts.hits.sum() + "]";
    }
}
