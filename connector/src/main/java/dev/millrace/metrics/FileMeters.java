package dev.millrace.metrics;

import dev.millrace.files.Obstacle;
import dev.millrace.files.SendfileContentFactory;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
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
record FileMeters(Server server, Tags tags) implements MeterBinder {
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

    @Override
    public void bindTo(MeterRegistry registry) {
        answers(SendfileContentFactory::getTransfers)
                .tags("way", "sendfile", "reason", "none")
                .register(registry);
        for (Obstacle obstacle : Obstacle.values()) {
            Tags way = way(obstacle);
            answers(files -> count(files.getObstacles(), obstacle)).tags(way).register(registry);
            counter(
                            "millrace.files.sent",
                            "Bytes of files that did not go by the kernel",
                            files -> count(files.getCopiedBytes(), obstacle))
                    .tags(way)
                    .baseUnit(BaseUnits.BYTES)
                    .register(registry);
        }
        bindOpenFiles(registry);
        bindContents(registry);
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

    private FunctionCounter.Builder<Server> answers(ToLongFunction<SendfileContentFactory> figure) {
        return counter("millrace.files.answers", "Answers that are files, by the way they went", figure);
    }

    private void bindOpenFiles(MeterRegistry registry) {
        Tags cache = Tags.of(CACHE, "open-files");
        gets(SendfileContentFactory::getOpenFileHits, cache.and("result", "hit"), registry);
        gets(SendfileContentFactory::getOpenFileMisses, cache.and("result", "miss"), registry);
        evictions(SendfileContentFactory::getOpenFileEvictions, cache, registry);
        entries(SendfileContentFactory::getOpenFiles, cache, registry);
    }

    private void bindContents(MeterRegistry registry) {
        Tags cache = Tags.of(CACHE, "contents");
        gets(SendfileContentFactory::getCacheHits, cache.and("result", "hit"), registry);
        gets(SendfileContentFactory::getCacheMisses, cache.and("result", "miss"), registry);
        evictions(SendfileContentFactory::getCacheEvictions, cache, registry);
        entries(SendfileContentFactory::getCachedFiles, cache, registry);
        Gauge.builder("millrace.cache.size", server, sum(SendfileContentFactory::getCachedBytes))
                .description("Bytes in the cache")
                .tags(tags.and(cache))
                .baseUnit(BaseUnits.BYTES)
                .register(registry);
    }

    private void gets(ToLongFunction<SendfileContentFactory> figure, Tags of, MeterRegistry registry) {
        counter("millrace.cache.gets", "What was looked for in the cache", figure)
                .tags(of)
                .register(registry);
    }

    private void evictions(ToLongFunction<SendfileContentFactory> figure, Tags of, MeterRegistry registry) {
        counter("millrace.cache.evictions", "What has left the cache for others", figure)
                .tags(of)
                .register(registry);
    }

    private void entries(ToLongFunction<SendfileContentFactory> figure, Tags of, MeterRegistry registry) {
        Gauge.builder("millrace.cache.entries", server, sum(figure))
                .description("Files in the cache")
                .tags(tags.and(of))
                .register(registry);
    }

    private FunctionCounter.Builder<Server> counter(
            String name, String description, ToLongFunction<SendfileContentFactory> figure) {
        return FunctionCounter.builder(name, server, new Total(figure))
                .description(description)
                .tags(tags);
    }

    private static ToDoubleFunction<Server> sum(ToLongFunction<SendfileContentFactory> figure) {
        return server -> server.getContainedBeans(SendfileContentFactory.class).stream()
                .mapToLong(figure)
                .sum();
    }
}
