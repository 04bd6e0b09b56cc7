package dev.millrace.metrics;

import dev.millrace.files.Obstacle;
import dev.millrace.files.SendfileContentFactory;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.eclipse.jetty.server.Server;

/**
 * Meters of all files that a server serves, by whichever servlet or handler.
 *
 * @param tags of all of them
 */
record FileMeters(Server server, Tags tags, MeterRegistry registry) {
    private static final String CACHE = "cache";

    /**
     * Sums a figure over all that serve files, and keeps what those have counted that have left the server. A counter must not fall: a
     * registry takes that for a restart from zero.
     */
    private static final class Total implements ToDoubleFunction<Server> {
        private final ToLongFunction<SendfileContentFactory> figure;
        private final Map<SendfileContentFactory, Long> seen = new WeakHashMap<>();
        private long total;

        private Total(ToLongFunction<SendfileContentFactory> figure) {
            this.figure = figure;
        }

        @Override
        public synchronized double applyAsDouble(Server server) {
            for (SendfileContentFactory files : server.getContainedBeans(SendfileContentFactory.class)) {
                long now = figure.applyAsLong(files);
                Long before = seen.put(files, now);
                total += before == null ? now : now - before;
            }
            return total;
        }
    }

    void bind() {
        answers(SendfileContentFactory::getTransfers, Tags.of("way", "sendfile", "reason", "none"));
        for (Obstacle obstacle : Obstacle.values()) {
            Tags way = way(obstacle);
            answers(files -> count(files.getObstacles(), obstacle), way);
            String sent = "Bytes of files that did not go by the kernel";
            counter("millrace.files.sent", sent, files -> count(files.getCopiedBytes(), obstacle), way)
                    .baseUnit(BaseUnits.BYTES)
                    .register(registry);
        }
        bindOpenFiles();
        bindContents();
    }

    private static long count(Map<String, Long> byObstacle, Obstacle obstacle) {
        return Objects.requireNonNull(byObstacle.get(obstacle.name()));
    }

    private static Tags way(Obstacle obstacle) {
        return switch (obstacle) {
            case GATHERED -> Tags.of("way", "gathered", "reason", "none");
            case CACHED -> Tags.of("way", "cached", "reason", "none");
            default -> Tags.of("way", "copied", "reason", obstacle.name().toLowerCase(Locale.ROOT));
        };
    }

    private void answers(ToLongFunction<SendfileContentFactory> figure, Tags way) {
        String answers = "Answers that are files, by the way they went";
        counter("millrace.files.answers", answers, figure, way).register(registry);
    }

    private void bindOpenFiles() {
        Tags cache = Tags.of(CACHE, "open-files");
        gets(SendfileContentFactory::getOpenFileHits, cache.and("result", "hit"));
        gets(SendfileContentFactory::getOpenFileMisses, cache.and("result", "miss"));
        evictions(SendfileContentFactory::getOpenFileEvictions, cache);
        entries(SendfileContentFactory::getOpenFiles, cache);
    }

    private void bindContents() {
        Tags cache = Tags.of(CACHE, "contents");
        gets(SendfileContentFactory::getCacheHits, cache.and("result", "hit"));
        gets(SendfileContentFactory::getCacheMisses, cache.and("result", "miss"));
        evictions(SendfileContentFactory::getCacheEvictions, cache);
        entries(SendfileContentFactory::getCachedFiles, cache);
        Gauge.builder("millrace.cache.size", server, sum(SendfileContentFactory::getCachedBytes))
                .description("Bytes in the cache")
                .tags(tags.and(cache))
                .baseUnit(BaseUnits.BYTES)
                .register(registry);
    }

    private void gets(ToLongFunction<SendfileContentFactory> figure, Tags of) {
        counter("millrace.cache.gets", "What was looked for in the cache", figure, of)
                .register(registry);
    }

    private void evictions(ToLongFunction<SendfileContentFactory> figure, Tags of) {
        counter("millrace.cache.evictions", "What has left the cache for others", figure, of)
                .register(registry);
    }

    private void entries(ToLongFunction<SendfileContentFactory> figure, Tags of) {
        Gauge.builder("millrace.cache.entries", server, sum(figure))
                .description("Files in the cache")
                .tags(tags.and(of))
                .register(registry);
    }

    private FunctionCounter.Builder<Server> counter(
            String name, String description, ToLongFunction<SendfileContentFactory> figure, Tags of) {
        return FunctionCounter.builder(name, server, new Total(figure))
                .description(description)
                .tags(tags.and(of));
    }

    private static ToDoubleFunction<Server> sum(ToLongFunction<SendfileContentFactory> figure) {
        return server -> server.getContainedBeans(SendfileContentFactory.class).stream()
                .mapToLong(figure)
                .sum();
    }
}
