package dev.millrace.load;

import dev.millrace.load.classics.Experiment;
import dev.millrace.load.classics.Lengths;
import dev.millrace.load.classics.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which cells a replay measures, in which order, and how long that takes. Rows that agree in server and condition share
 * a cell. Immutable.
 *
 * @param experiment with the rows of this form
 * @param lengths    of this form
 * @param conditions rows to be measured, grouped by condition: one row stands for each cell
 * @param seed       of the order
 */
record ReplayPlan(Experiment experiment, Lengths lengths, List<List<Row>> conditions, long seed) {

    /** Starting and ending a JVM. */
    private static final double START_SECONDS = 1.6;
    /** Connecting, and waiting for the last answers. */
    private static final double DRAIN_SECONDS = 0.2;
    private static final double THROTTLED_DRAIN_SECONDS = 4;
    private static final double MILLIS = 1000;

    /** Plans the rows of an experiment but for those of the skipped servers. */
    static ReplayPlan of(Experiment experiment, Lengths lengths, Set<String> skipped, long seed) {
        Map<Map<String, String>, Map<String, Row>> groups = new LinkedHashMap<>();
        for (Row row : experiment.rows()) {
            if (!skipped.contains(row.server())) {
                groups.computeIfAbsent(row.parameters(), key -> new LinkedHashMap<>()).putIfAbsent(row.server(), row);
            }
        }
        List<List<Row>> conditions = groups.values().stream().map(Map::values).map(List::copyOf)
                .collect(Collectors.toList());
        return new ReplayPlan(experiment, lengths, List.copyOf(conditions), seed);
    }

    /**
     * The cells of a block, counted from 0: conditions in a random order, the servers of each one after the other,
     * backwards in every other block and beginning with another one in each.
     */
    List<Row> block(int number) {
        List<List<Row>> shuffled = new ArrayList<>(conditions);
        Collections.shuffle(shuffled, new Random(seed + number));
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
        return (int) conditions.stream().flatMap(Collection::stream).map(Row::server).distinct().count();
    }

    /** The rows of a server that stand for all kinds of work it is measured under. */
    List<Row> kinds(String server) {
        Map<String, Row> kinds = new LinkedHashMap<>();
        conditions.stream().flatMap(Collection::stream).filter(row -> row.server().equals(server))
                .forEach(row -> kinds.putIfAbsent(row.work(), row));
        return List.copyOf(kinds.values());
    }

    /** About how long all blocks take. */
    Duration duration() {
        double block = 0;
        for (List<Row> condition : conditions) {
            for (Row row : condition) {
                double drain = row.limit() == null ? DRAIN_SECONDS : Math.min(THROTTLED_DRAIN_SECONDS, lengths.drain());
                block += lengths.settle(row) + lengths.window(row) + drain;
            }
        }
        double start = servers() * (START_SECONDS + lengths.warmup())
                + block * (lengths.repeats() + lengths.rehearsal());
        return Duration.ofMillis(Math.round(start * lengths.starts() * MILLIS));
    }
}
