package dev.millrace.load.replay;

import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.experiment.Lengths;
import dev.millrace.load.experiment.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * The cells that a replay measures, their order, and their duration. Rows of the same server and condition share a
 * cell. Immutable.
 *
 * @param experiment experiment with the rows of this form
 * @param lengths    lengths of this form
 * @param conditions one row for each cell, grouped by condition
 * @param seed       seed of the order
 */
record ReplayPlan(Experiment experiment, Lengths lengths, List<List<Row>> conditions, long seed) {

    /** Time to start and end a JVM. */
    private static final double START_SECONDS = 1.6;
    /** Time to connect, and to wait for the last answers. */
    private static final double DRAIN_SECONDS = 0.2;

    private static final double THROTTLED_DRAIN_SECONDS = 4;
    private static final double MILLIS = 1000;

    /** Plans the rows of an experiment except those of the skipped servers. */
    static ReplayPlan of(Experiment experiment, Lengths lengths, Set<String> skipped, long seed) {
        Map<Map<String, String>, Map<String, Row>> groups = new LinkedHashMap<>();
        for (Row row : experiment.rows()) {
            if (!skipped.contains(row.server())) {
                groups.computeIfAbsent(row.parameters(), key -> new LinkedHashMap<>())
                        .putIfAbsent(row.server(), row);
            }
        }
        List<List<Row>> conditions =
                groups.values().stream().map(Map::values).map(List::copyOf).collect(Collectors.toList());
        return new ReplayPlan(experiment, lengths, List.copyOf(conditions), seed);
    }

    /**
     * The cells of a block, counted from 0. Conditions are in random order, and the servers of a condition follow each
     * other. Their order is reversed in every other block, and begins with a different server in each.
     */
    List<Row> block(int number) {
        List<List<Row>> shuffled = new ArrayList<>(conditions);
        // Random's first numbers are alike for neighbouring seeds, which would keep one condition at the same place.
        Collections.shuffle(shuffled, new Random(new SplittableRandom(seed + number).nextLong()));
        List<Row> cells = new ArrayList<>();
        for (List<Row> condition : shuffled) {
            List<Row> servers = new ArrayList<>(condition);
            Collections.rotate(servers, -number / 2);
            if (number % 2 != 0) {
                Collections.reverse(servers);
            }
            cells.addAll(servers);
        }
        return cells;
    }

    int cells() {
        return conditions.stream().mapToInt(List::size).sum();
    }

    int servers() {
        return (int) conditions.stream()
                .flatMap(Collection::stream)
                .map(Row::server)
                .distinct()
                .count();
    }

    /** One row of a server for each kind of work that it is measured under. */
    List<Row> kinds(String server) {
        Map<String, Row> kinds = new LinkedHashMap<>();
        conditions.stream()
                .flatMap(Collection::stream)
                .filter(row -> row.server().equals(server))
                .forEach(row -> kinds.putIfAbsent(row.work(), row));
        return List.copyOf(kinds.values());
    }

    /** Estimated duration of all blocks. */
    Duration duration() {
        double block = 0;
        for (List<Row> condition : conditions) {
            for (Row row : condition) {
                double drain = row.limit() == null ? DRAIN_SECONDS : Math.min(THROTTLED_DRAIN_SECONDS, lengths.drain());
                block += lengths.settle(row) + lengths.window(row) + drain;
            }
        }
        double start =
                servers() * (START_SECONDS + lengths.warmup()) + block * (lengths.repeats() + lengths.rehearsal());
        return Duration.ofMillis(Math.round(start * lengths.starts() * MILLIS));
    }
}
