package dev.millrace.load.experiment;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A published experiment. Immutable.
 *
 * @param name    name on the command line
 * @param title   subject, author and year
 * @param about   description for people
 * @param unit    unit of throughput of rows without a unit of their own
 * @param scaled  differences to the original
 * @param files   sizes of the files that the servers serve, by name; null for none
 * @param heap    largest heap of the servers; null for 512m
 * @param quick   lengths of the short form
 * @param full    lengths of the long form
 * @param servers settings of the servers by name
 * @param rows    published rows, and further rows that a claim needs
 * @param added   conditions for servers that did not exist then; {@link #expanded} makes rows of them
 * @param claims  published claims
 */
public record Experiment(
        String name,
        String title,
        String about,
        String unit,
        List<String> scaled,
        Map<String, Long> files,
        @Nullable String heap,
        Lengths quick,
        Lengths full,
        Map<String, ServerSetting> servers,
        List<Row> rows,
        List<AddedCondition> added,
        List<Claim> claims) {

    /** Names of all experiments, in the order of the page that reports them. */
    public static final List<String> NAMES = List.of("cowtown", "minar", "mina", "undertow", "bhargava");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ADDED_PART = "Not there then";

    /** Replaces missing lists by empty ones. */
    public Experiment {
        scaled = scaled == null ? List.of() : List.copyOf(scaled);
        files = files == null ? Map.of() : files;
        added = added == null ? List.of() : List.copyOf(added);
        claims = claims == null ? List.of() : List.copyOf(claims);
    }

    /**
     * Reads an experiment.
     *
     * @throws IllegalArgumentException if no experiment has that name
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
     * The experiment for one run: rows of that form only, and a row for each added condition and server.
     *
     * @param isQuick whether the short form is run
     * @param peers   settings of other servers by name, for the conditions that they can be measured under
     * @throws IllegalStateException if a row is compared with one that does not exist
     */
    public Experiment expanded(boolean isQuick, Map<String, ServerSetting> peers) {
        List<Row> all = rows.stream().filter(row -> row.quick() || !isQuick).collect(Collectors.toList());
        Set<String> known = rows.stream().map(Row::id).collect(Collectors.toSet());
        for (AddedCondition condition : added) {
            if (condition.quick() || !isQuick) {
                List<String> names = new ArrayList<>(condition.servers());
                if (condition.peers()) {
                    names.addAll(peers.keySet());
                }
                names.forEach(server -> all.add(condition.row(server, ADDED_PART)));
            }
        }
        if (!known.containsAll(
                rows.stream().map(Row::base).filter(base -> base != null).toList())) {
            throw new IllegalStateException(name + ": a base is no row");
        }
        Map<String, ServerSetting> allServers = new LinkedHashMap<>(servers);
        allServers.putAll(peers);
        return new Experiment(
                name,
                title,
                about,
                unit,
                scaled,
                files,
                heap,
                quick,
                full,
                allServers,
                List.copyOf(all),
                List.of(),
                claims);
    }

    /** Whether added conditions ask for UUIDs, which only servers with servlets can make. */
    public boolean addsUuids() {
        return added.stream().anyMatch(condition -> condition.work().startsWith("uuid"));
    }

    /** The lengths of one of the forms. */
    public Lengths lengths(boolean isQuick) {
        return isQuick ? quick : full;
    }

    /** The same experiment with the lengths that one form was really run with: intervals depend on them. */
    public Experiment ran(boolean isQuick, Lengths lengths) {
        return new Experiment(
                name,
                title,
                about,
                unit,
                scaled,
                files,
                heap,
                isQuick ? lengths : quick,
                isQuick ? full : lengths,
                servers,
                rows,
                added,
                claims);
    }

    /** The unit of a row's throughput. */
    public String unit(Row row) {
        return row.unit() == null ? unit : row.unit();
    }
}
