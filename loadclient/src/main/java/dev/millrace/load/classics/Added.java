package dev.millrace.load.classics;

import java.util.List;

/**
 * A condition that is measured on servers that did not exist then. The id of such a row is the server's name, a blank
 * and this id.
 *
 * @param id      names it in claims
 * @param text    for people
 * @param servers names of server settings
 * @param clients see {@link Row}
 * @param work    see {@link Row}
 * @param limit   see {@link Row}
 * @param unit    see {@link Row}
 * @param base    see {@link Row}
 * @param quick   see {@link Row}
 * @param peers   whether other servers can do the same
 * @param settle  see {@link Row}
 * @param window  see {@link Row}
 */
public record Added(String id, String text, List<String> servers, int clients, String work, String limit, String unit,
                    String base, boolean quick, boolean peers, Double settle, Double window) {

    Row row(String server, String part) {
        return new Row(server + " " + id, part, text + ", " + server, server, clients, work, limit, unit, null, base,
                quick, settle, window);
    }
}
