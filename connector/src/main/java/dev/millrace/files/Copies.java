package dev.millrace.files;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the answers whose file did not go by the kernel, by what was in the way. Thread-safe. */
final class Copies {
    private final Map<Obstacle, LongAdder> counts = new EnumMap<>(Obstacle.class);

    Copies() {
        for (Obstacle obstacle : Obstacle.values()) {
            counts.put(obstacle, new LongAdder());
        }
    }

    /** Counts one, and tells the flight recorder when it asks for it. */
    void onCopy(Object file, long position, long bytes, Obstacle obstacle) {
        counts.get(obstacle).increment();
        CopyEvent.commit(file, position, bytes, obstacle);
    }

    /** How often which obstacle was met. */
    Map<String, Long> byObstacle() {
        Map<String, Long> sums = new TreeMap<>();
        counts.forEach((obstacle, count) -> sums.put(obstacle.name(), count.sum()));
        return sums;
    }
}
