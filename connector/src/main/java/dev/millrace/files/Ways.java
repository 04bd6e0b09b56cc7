package dev.millrace.files;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the answers whose file went by the kernel, and those whose did not, by what was in the way. Thread-safe. */
final class Ways {
    private final Map<Obstacle, LongAdder> copies = new EnumMap<>(Obstacle.class);
    private final LongAdder transfers = new LongAdder();

    Ways() {
        for (Obstacle obstacle : Obstacle.values()) {
            copies.put(obstacle, new LongAdder());
        }
    }

    /** Counts one: in the flight recorder too when it was copied and the recorder asks for it. */
    void onRoute(Route route, Object file, long position, long bytes) {
        if (route.obstacle() == null) {
            transfers.increment();
        } else {
            onCopy(file, position, bytes, route.obstacle());
        }
    }

    /** Counts a copy, and tells the flight recorder when it asks for it. */
    void onCopy(Object file, long position, long bytes, Obstacle obstacle) {
        copies.get(obstacle).increment();
        CopyEvent.commit(file, position, bytes, obstacle);
    }

    long transfers() {
        return transfers.sum();
    }

    /** How often which obstacle was met. */
    Map<String, Long> copiesByObstacle() {
        Map<String, Long> sums = new TreeMap<>();
        copies.forEach((obstacle, count) -> sums.put(obstacle.name(), count.sum()));
        return sums;
    }
}
