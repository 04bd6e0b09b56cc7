package dev.millrace.load.cli;

import dev.millrace.load.run.Cell;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.server.Servers;
import java.util.List;
import java.util.Map;

/**
 * The work of a measuring command. Immutable but for its servers.
 *
 * @param title    heading of the report
 * @param cells    cells in the order of the command line
 * @param settings settings of all cells
 * @param servers  servers that are measured
 * @param schedule order and repetition of the cells
 * @param facts    settings for the report
 */
record Plan(
        String title,
        List<Cell> cells,
        RunSettings settings,
        Servers servers,
        Schedule schedule,
        Map<String, String> facts) {}
