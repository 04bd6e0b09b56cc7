package dev.millrace.load.experiment;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A condition for servers that did not exist when the experiment was published. Each of them gets a row, whose id is
 * the server's name, a blank and this id. Components that are not described here are those of {@link Row}. Immutable.
 *
 * @param id      name in claims
 * @param servers names of server settings
 * @param peers   whether other servers can do the same work
 */
record AddedCondition(
        String id,
        String text,
        List<String> servers,
        int clients,
        String work,
        @Nullable String limit,
        @Nullable String unit,
        @Nullable String base,
        boolean quick,
        boolean peers,
        @Nullable Double settle,
        @Nullable Double window) {

    Row row(String server, String part) {
        return new Row(
                server + " " + id,
                part,
                text + ", " + server,
                server,
                clients,
                work,
                limit,
                unit,
                Map.of(),
                base,
                quick,
                settle,
                window);
    }
}
