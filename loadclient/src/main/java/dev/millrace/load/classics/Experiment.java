package dev.millrace.load.classics;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One experiment. Immutable.
 *
 * @param name    as on the command line
 * @param title   what it was, whose, and when
 * @param about   what was measured, for people
 * @param unit    of the throughput of rows that do not say otherwise
 * @param scaled  what differs from the original
 * @param files   sizes of the files that the servers serve, by name; null for none
 * @param heap    the servers' largest heap; null for 512m
 * @param quick   lengths of the short form
 * @param full    lengths of the long form
 * @param servers settings of the servers by name
 * @param rows    what was published, and what must be measured beside to judge a claim
 * @param added   conditions measured on servers that did not exist then; {@link #expanded} makes rows of them
 * @param claims  what was said, and what it takes to hold
 */
public record Experiment(String name, String title, String about, String unit, List<String> scaled,
                         Map<String, Long> files, String heap, Lengths quick, Lengths full,
                         Map<String, ServerSetting> servers, List<Row> rows, List<Added> added, List<Claim> claims) {

    /** Names, in the order of their years but for the first. */
    public static final List<String> NAMES = List.of("cowtown", "minar", "mina", "undertow", "bhargava");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ADDED_PART = "Not there then";

    /** Missing lists are empty ones. */
    public Experiment {
        scaled = scaled == null ? List.of() : List.copyOf(scaled);
        files = files == null ? Map.of() : files;
        added = added == null ? List.of() : List.copyOf(added);
        claims = claims == null ? List.of() : List.copyOf(claims);
    }

    /**
     * Reads an experiment.
     *
     * @throws IllegalArgumentException if there is none of that name
     * @throws IOException              if its description cannot be read
     */
    public static Experiment of(String name) throws IOException {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException("no experiment " + name + ", there are " + String.join(", ", NAMES));
        }
        try (InputStream in = Experiment.class.getResourceAsStream(name + ".json")) {
            return JSON.readValue(in, Experiment.class);
        }
    }

    /**
     * The experiment as one run does it: only rows that belong to the form of it, and a row for each added server and
     * condition.
     *
     * @param isQuick whether the short form is wanted
     * @param peers   further servers for the conditions that peers can be measured under, by name
     */
    public Experiment expanded(boolean isQuick, Map<String, ServerSetting> peers) {
        List<Row> all = rows.stream().filter(row -> row.quick() || !isQuick).collect(Collectors.toList());
        Set<String> known = rows.stream().map(Row::id).collect(Collectors.toSet());
        for (Added condition : added) {
            if (condition.quick() || !isQuick) {
                List<String> names = new ArrayList<>(condition.servers());
                if (condition.peers()) {
                    names.addAll(peers.keySet());
                }
                names.forEach(server -> all.add(condition.row(server, ADDED_PART)));
            }
        }
        if (!known.containsAll(rows.stream().map(Row::base).filter(base -> base != null).toList())) {
            throw new IllegalStateException(name + ": a base is no row");
        }
        Map<String, ServerSetting> allServers = new LinkedHashMap<>(servers);
        allServers.putAll(peers);
        return new Experiment(name, title, about, unit, scaled, files, heap, quick, full, allServers,
                List.copyOf(all), List.of(), claims);
    }

    /** The lengths of one of the forms. */
    public Lengths lengths(boolean isQuick) {
        return isQuick ? quick : full;
    }

    /** The same with the lengths that one of its forms was run with: intervals are made by them. */
    public Experiment ran(boolean isQuick, Lengths lengths) {
        return new Experiment(name, title, about, unit, scaled, files, heap, isQuick ? lengths : quick,
                isQuick ? full : lengths, servers, rows, added, claims);
    }

    /** The unit of a row's throughput. */
    public String unit(Row row) {
        return row.unit() == null ? unit : row.unit();
    }
}
