package dev.millrace.files;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bytes of small files that are asked for often, in memory outside the Java heap: what Jason Greene described for
 * Undertow in 2012. A file comes in with its fifth recent use, read by one of those who ask for it; the least used
 * leave when room is needed; the order of use is noted at every fifth use only. Thread-safe.
 */
final class ContentCache {
    private static final Logger LOG = LoggerFactory.getLogger(ContentCache.class);
    private static final int ADMITTING_USES = 5;
    private static final int SAMPLED_USES = 5;
    private static final long RECENT_MILLIS = 10_000;
    /** How many may have to leave for one to come in: more is not worth it. */
    private static final int MAX_EVICTIONS = 64;

    private final SliceMemory memory;
    private final int maxFileBytes;
    private final Cache<Slot, ContentMemory> policy;
    private final LongAdder hits = new LongAdder();
    private final LongAdder admissions = new LongAdder();

    /** What the cache knows of one version of a file. */
    static final class Slot {
        private final OpenFile file;
        private final AtomicInteger recentUses = new AtomicInteger();
        private final AtomicBoolean filling = new AtomicBoolean();
        private volatile ContentMemory memory;
        private volatile boolean retired;
        private volatile long sinceNanoTime = NanoTime.now();
        // Counted without care: it only says when to look.
        private int uses;

        Slot(OpenFile file) {
            this.file = file;
        }

        private boolean isWanted() {
            if (NanoTime.millisSince(sinceNanoTime) > RECENT_MILLIS) {
                sinceNanoTime = NanoTime.now();
                recentUses.set(0);
            }
            return recentUses.incrementAndGet() >= ADMITTING_USES;
        }
    }

    /**
     * @param memory where the bytes are
     * @param maxFileBytes the size of the largest file that may come in
     */
    ContentCache(SliceMemory memory, int maxFileBytes) {
        this.memory = memory;
        this.maxFileBytes = Math.min(maxFileBytes, memory.totalSlices() * SliceMemory.SLICE_BYTES);
        this.policy = Caffeine.newBuilder()
                .maximumWeight(memory.totalSlices())
                .weigher((Slot slot, ContentMemory content) -> content.slices())
                .executor(Runnable::run)
                .removalListener((Slot slot, ContentMemory content, RemovalCause cause) -> leave(slot, content))
                .build();
    }

    /** @return null for a size of 0 */
    static ContentCache of(Path largePages, int bytes, int maxFileBytes) {
        return bytes == 0 ? null
                : new ContentCache(new SliceMemory(LargePages.allocate(largePages, bytes)), maxFileBytes);
    }

    private static void leave(Slot slot, ContentMemory content) {
        slot.memory = null;
        slot.recentUses.set(0);
        content.release();
    }

    /**
     * Counts a use.
     *
     * @return the bytes of a file, with a count that the caller must release; null when they are not here
     */
    ContentMemory use(Slot slot) {
        if (slot.file.size() > maxFileBytes) {
            return null;
        }
        ContentMemory content = slot.memory;
        if (content != null && content.retain()) {
            hits.increment();
            if (++slot.uses % SAMPLED_USES == 0) {
                policy.getIfPresent(slot);
            }
            return content;
        }
        return slot.isWanted() && slot.filling.compareAndSet(false, true) ? fill(slot) : null;
    }

    private ContentMemory fill(Slot slot) {
        try {
            ContentMemory content = slot.memory == null ? allocate((int) slot.file.size()) : null;
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
        try {
            slot.file.read(content.writable(), 0);
            return true;
        } catch (IOException x) {
            LOG.debug("Cannot read {}", slot.file, x);
            content.release();
            return false;
        }
    }

    private ContentMemory admit(Slot slot, ContentMemory content) {
        // For the caller; the first count is the cache's.
        content.retain();
        slot.memory = content;
        admissions.increment();
        policy.put(slot, content);
        if (slot.retired) {
            policy.invalidate(slot);
        }
        return content;
    }

    private ContentMemory allocate(int bytes) {
        ContentMemory content = memory.allocate(bytes);
        for (int evictions = 0; content == null && evictions < MAX_EVICTIONS; evictions++) {
            Map<Slot, ContentMemory> coldest = policy.policy().eviction().orElseThrow().coldest(1);
            if (coldest.isEmpty()) {
                return null;
            }
            coldest.keySet().forEach(policy::invalidate);
            content = memory.allocate(bytes);
        }
        return content;
    }

    /** A version of a file is no more: its bytes leave. */
    void retire(Slot slot) {
        slot.retired = true;
        if (slot.memory != null) {
            policy.invalidate(slot);
        }
    }

    /** All leave; who still sends keeps what he sends. */
    void clear() {
        policy.invalidateAll();
        policy.cleanUp();
    }

    long hits() {
        return hits.sum();
    }

    long admissions() {
        return admissions.sum();
    }

    long usedBytes() {
        return (long) memory.usedSlices() * SliceMemory.SLICE_BYTES;
    }

    long files() {
        return policy.estimatedSize();
    }

    @Override
    public String toString() {
        return "ContentCache[files=" + files() + ",usedBytes=" + usedBytes() + ",hits=" + hits() + "]";
    }
}
