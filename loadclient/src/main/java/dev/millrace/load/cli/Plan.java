package dev.millrace.load.cli;

import dev.millrace.load.report.ResultLine;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.server.Servers;
import java.time.Duration;
import java.util.ArrayList;
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
        Map<String, String> facts) {

    /**
     * The cells and the time that they will take, line by line.
     *
     * @param windows number of windows in which all cells are measured once
     */
    List<String> announcement(int windows) {
        List<String> lines = new ArrayList<>();
        cells.forEach(cell -> lines.add(ResultLine.name(cell.label(), cell.parameters())));
        String budget = facts.get(RunFile.BUDGET);
        if (budget != null) {
            lines.add(cells.size() + " cells, again and again for at most " + budget);
            return lines;
        }
        Duration each = settings.warmup().total().plus(settings.duration());
        String time = RunSettings.text(each.multipliedBy((long) windows * schedule.repeat()));
        lines.add(cells.size() * schedule.repeat() + " cells" + (settings.requests() > 0 ? "" : ", about " + time));
        return lines;
    }
}
