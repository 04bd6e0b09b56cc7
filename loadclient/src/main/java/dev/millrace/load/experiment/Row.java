package dev.millrace.load.experiment;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One row of an experiment's tables. Immutable.
 *
 * @param id      name in claims
 * @param part    title of the table that it belongs to
 * @param text    name for people
 * @param server  name of the server's settings
 * @param clients threads, each with one connection
 * @param work    {@code uuid METHOD KIND COUNT [close]}, {@code files}, {@code file NAME [pipeline=N]}, {@code message
 *                BYTES} or {@code hello}
 * @param limit   bytes per second of each client; null for no limit
 * @param unit    unit of throughput; null for the experiment's
 * @param then    published figures by name: throughput, init (seconds), speed (MB/s); null for none
 * @param base    id of the row whose throughput this row is compared with; null for none
 * @param quick   whether the short form measures it
 * @param settle  load before the window in seconds; null for the experiment's
 * @param window  the window in seconds; null for the experiment's
 */
public record Row(
        String id,
        String part,
        String text,
        String server,
        int clients,
        String work,
        @Nullable String limit,
        @Nullable String unit,
        Map<String, Double> then,
        @Nullable String base,
        boolean quick,
        @Nullable Double settle,
        @Nullable Double window) {

    /** Replaces missing figures by an empty map. */
    public Row {
        then = then == null ? Map.of() : then;
    }

    /** The condition of the row. Rows of the same condition and server share a measurement. */
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("clients", Integer.toString(clients));
        parameters.put("work", work);
        if (limit != null) {
            parameters.put("limit", limit);
        }
        return parameters;
    }
}
