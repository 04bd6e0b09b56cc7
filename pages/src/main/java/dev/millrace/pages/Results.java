package dev.millrace.pages;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All runs that were kept, with their figures: {@code runs.csv}, {@code figures.csv} and {@code names.csv} of a folder,
 * whose columns {@code docs/results/README.md} explains. Immutable.
 */
final class Results {
    private record Key(String run, String workload, String server, String measure) {}

    private final Map<String, Csv.Row> runs = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> names = new HashMap<>();
    private final Map<Key, Figure> figures = new HashMap<>();

    /**
     * Reads all files of a folder.
     *
     * @throws IllegalArgumentException when the files contradict each other
     */
    Results(Path folder) throws IOException {
        for (Csv.Row run : Csv.read(folder.resolve("runs.csv"))) {
            check(runs.put(run.get("run"), run) == null, "a run twice: " + run.get("run"));
        }
        for (Csv.Row name : Csv.read(folder.resolve("names.csv"))) {
            Map<String, String> ofKind = names.computeIfAbsent(name.get("kind"), kind -> new HashMap<>());
            check(ofKind.put(name.get("id"), name.get("name")) == null, "a name twice: " + name.get("id"));
        }
        Map<String, String> ofRuns = new HashMap<>();
        runs.keySet().forEach(run -> ofRuns.put(run, run));
        names.put("run", ofRuns);
        Csv.read(folder.resolve("figures.csv")).forEach(this::add);
    }

    private void add(Csv.Row row) {
        List.of("run", "workload", "server", "measure").forEach(kind -> name(kind, row.get(kind)));
        for (String number : List.of("value", "least", "most")) {
            if (!row.get(number).isEmpty()) {
                new BigDecimal(row.get(number));
            }
        }
        // A figure with a note is part of an experiment that the note explains: no table shows it, and no goal counts
        // it.
        if (row.get("note").isEmpty() && !row.get("value").isEmpty()) {
            Key key = new Key(row.get("run"), row.get("workload"), row.get("server"), row.get("measure"));
            Figure figure = new Figure(key.run, row.get("value"), name("measure", key.measure));
            check(figures.put(key, figure) == null, "a figure twice: " + key);
        }
    }

    /** All runs, the oldest first, each with the columns of {@code runs.csv}. */
    Collection<Csv.Row> runs() {
        return runs.values();
    }

    /** What a reader calls a server, a workload or the unit of a measure. */
    String name(String kind, String id) {
        String name = names.getOrDefault(kind, Map.of()).get(id);
        if (name == null) {
            throw new IllegalArgumentException("no such " + kind + ": " + id);
        }
        return name;
    }

    /**
     * The figure that the keys {@code run}, {@code workload}, {@code server} and {@code measure} name. Each may have
     * alternatives, with commas between them; the first that was measured is taken. The ratio of a run's base to itself
     * is 1.00. With {@code of}, the figure is a multiple of that server's in the same run.
     *
     * @return empty when none of them was measured
     * @throws IllegalArgumentException when a key is missing, or a name is not known
     */
    Optional<Figure> find(Map<String, String> keys) {
        Optional<Figure> figure = measured(keys);
        String of = keys.get("of");
        if (of == null) {
            return figure;
        }
        return figure.flatMap(found -> {
            Map<String, String> others = new HashMap<>(keys);
            others.put("run", found.run());
            others.put("server", of);
            return measured(others).map(found::dividedBy);
        });
    }

    private Optional<Figure> measured(Map<String, String> keys) {
        for (String run : alternatives(keys, "run")) {
            for (String workload : alternatives(keys, "workload")) {
                for (String server : alternatives(keys, "server")) {
                    for (String measure : alternatives(keys, "measure")) {
                        Optional<Figure> figure = measured(new Key(run, workload, server, measure));
                        if (figure.isPresent()) {
                            return figure;
                        }
                    }
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Figure> measured(Key key) {
        Figure figure = figures.get(key);
        Csv.Row run = runs.get(key.run);
        boolean isBase = run != null && key.server.equals(run.get("base")) && key.measure.endsWith("ratio");
        return figure == null && isBase ? Optional.of(new Figure(key.run, "1.00", "")) : Optional.ofNullable(figure);
    }

    private List<String> alternatives(Map<String, String> keys, String kind) {
        String named = keys.get(kind);
        if (named == null) {
            throw new IllegalArgumentException("no " + kind + " in " + keys);
        }
        List<String> alternatives = List.of(named.split(","));
        alternatives.forEach(id -> name(kind, id));
        return alternatives;
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
