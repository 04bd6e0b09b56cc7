package dev.millrace.files;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;

/**
 * Counts the answers whose file went by the kernel, and those whose did not, by what was in the way, and tells who asked if that is
 * wanted. Thread-safe.
 */
final class Ways {
    private final Map<Obstacle, LongAdder> copies = new EnumMap<>(Obstacle.class);
    private final LongAdder transfers = new LongAdder();
    private volatile boolean debugHeader;

    Ways() {
        for (Obstacle obstacle : Obstacle.values()) {
            copies.put(obstacle, new LongAdder());
        }
    }

    boolean hasDebugHeader() {
        return debugHeader;
    }

    void setDebugHeader(boolean debugHeader) {
        this.debugHeader = debugHeader;
    }

    /** Counts one: in the flight recorder too when it was copied and the recorder asks for it. */
    void onRoute(Content.Sink sink, Route route, Object file, long position, long bytes) {
        Obstacle obstacle = route.obstacle();
        if (obstacle == null) {
            transfers.increment();
        } else {
            copies.get(obstacle).increment();
            CopyEvent.commit(file, position, bytes, obstacle);
        }
        if (debugHeader && sink instanceof Response response && !response.isCommitted()) {
            response.getHeaders().put(SendfileContentFactory.DEBUG_HEADER, obstacle == null ? "yes" : obstacle.name());
        }
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
