package dev.millrace.files;

import dev.millrace.transfer.FlightRecorder;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/**
 * Counts the answers whose file went by the kernel, and the others by what was in the way. Tells clients in a response field, if
 * the settings say so. Thread-safe.
 */
final class SendfileStatistics {
    private final SendfileSettings settings;
    private final Map<Obstacle, LongAdder> copies = new EnumMap<>(Obstacle.class);
    private final Map<Obstacle, LongAdder> copiedBytes = new EnumMap<>(Obstacle.class);
    private final LongAdder transfers = new LongAdder();

    SendfileStatistics(SendfileSettings settings) {
        this.settings = settings;
        FlightRecorder.warnIfAbsent();
        for (Obstacle obstacle : Obstacle.values()) {
            copies.put(obstacle, new LongAdder());
            copiedBytes.put(obstacle, new LongAdder());
        }
    }

    /**
     * Counts one answer, or one that is part of another. A copy is an event for the flight recorder too.
     *
     * @param obstacle null: it goes by the kernel
     */
    void onAnswer(Content.Sink sink, @Nullable Obstacle obstacle, Object file, long position, long bytes) {
        if (obstacle == null) {
            transfers.increment();
        } else {
            Objects.requireNonNull(copies.get(obstacle)).increment();
            CopyEvent.commit(file, position, bytes, obstacle);
        }
        if (settings.isDebugHeader() && sink instanceof Response response && !response.isCommitted()) {
            response.getHeaders().put(SendfileSettings.DEBUG_HEADER, obstacle == null ? "yes" : obstacle.name());
        }
    }

    /**
     * Counts content that does not go by the kernel, with each piece of it.
     *
     * @param bytes of the piece that is about to be written
     */
    void onCopied(Obstacle obstacle, long bytes) {
        Objects.requireNonNull(copiedBytes.get(obstacle)).add(bytes);
    }

    long transfers() {
        return transfers.sum();
    }

    /** How often which obstacle was met. */
    Map<String, Long> copiesByObstacle() {
        return sums(copies);
    }

    Map<String, Long> copiedBytesByObstacle() {
        return sums(copiedBytes);
    }

    private static Map<String, Long> sums(Map<Obstacle, LongAdder> counts) {
        Map<String, Long> sums = new TreeMap<>();
        counts.forEach((obstacle, count) -> sums.put(obstacle.name(), count.sum()));
        return sums;
    }
}
