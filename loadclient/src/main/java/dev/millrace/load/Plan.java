package dev.millrace.load;

import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.RunSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a measuring command is going to do.
 *
 * @param title    for people
 * @param cells    in the order in which they run
 * @param settings of all cells
 * @param server   the server's process, or null
 * @param output   folder for the report, or null
 * @param facts    settings as the report shows them
 */
record Plan(String title, List<Cell> cells, RunSettings settings, ProcessCpu server, Path output,
            Map<String, String> facts) {
}
