package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.FaultCount;
import java.util.Locale;
import java.util.Map;

/** One line of fixed width per cell, for standard output. Stateless. */
public final class ResultLine {

    private ResultLine() {
    }

    /**
     * The line.
     *
     * @param result    a cell
     * @param nameWidth columns that the cell's settings get
     */
    public static String of(CellResult result, int nameWidth) {
        String rate = result.countsBytes()
                ? String.format(Locale.ROOT, "%8s MB/s %7s req/s", Figures.number(result.megabytesPerSecond()),
                        Figures.number(result.requestsPerSecond()))
                : String.format(Locale.ROOT, "%8s req/s", Figures.number(result.requestsPerSecond()));
        String cost = result.countsBytes()
                ? String.format(Locale.ROOT, "srv %6s ms/GB", Figures.number(result.serverMillisPerGigabyte()))
                : String.format(Locale.ROOT, "srv %6s us/req", Figures.number(result.serverMicrosPerRequest()));
        return String.format(Locale.ROOT,
                "%-" + Math.max(1, nameWidth) + "s | %s | %s %5s cpu | cli %5s cpu | p50 %6s p99 %6s ms | err %d | %s",
                name(result), rate, cost, cores(result.cpu().server(), result), cores(result.cpu().client(), result),
                Figures.millis(result.latency().p50()), Figures.millis(result.latency().p99()), result.errorCount(),
                result.verdict());
    }

    /** The settings of a cell as the line shows them. */
    public static String name(CellResult result) {
        return (result.label().isEmpty() ? "" : result.label() + " ") + Figures.cell(result.parameters());
    }

    /** The kinds of error of a cell with how many and the first of each; empty when there was none. */
    public static String errors(CellResult result) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, FaultCount> error : result.errors().entrySet()) {
            text.append(text.isEmpty() ? "" : "; ").append(error.getKey()).append(" x ")
                    .append(error.getValue().count()).append(" (").append(error.getValue().first()).append(')');
        }
        return text.toString();
    }

    private static String cores(Double seconds, CellResult result) {
        return Figures.number(seconds == null ? null : seconds / result.windowSeconds());
    }
}
