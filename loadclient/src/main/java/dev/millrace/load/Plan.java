package dev.millrace.load;

import dev.millrace.load.run.Cell;
import dev.millrace.load.run.RunSettings;
import java.util.List;
import java.util.Map;

/**
 * What a measuring command is going to do.
 *
 * @param title    for people
 * @param cells    as given on the command line
 * @param settings of all cells
 * @param servers  what is measured
 * @param schedule the order of the cells, and how often
 * @param facts    settings as the report shows them
 */
record Plan(String title, List<Cell> cells, RunSettings settings, Servers servers, Schedule schedule,
            Map<String, String> facts) {
}
