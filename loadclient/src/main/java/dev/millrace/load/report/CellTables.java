package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CpuUse;
import java.util.List;

/** The tables of a report. Stateless. */
final class CellTables {

    private CellTables() {
    }

    static String clients(CellResult cell) {
        return cell.parameters().getOrDefault("clients", "");
    }

    static String results(List<CellResult> cells) {
        StringBuilder table = new StringBuilder("<h2>All cells</h2>\n<div class=\"wide\"><table>\n");
        row(table, "th", "cell", "window s", "requests", "req/s", "MB/s", "srv \u00b5s/req", "srv ms/GB", "p50 ms",
                "p90 ms", "p99 ms", "p99.9 ms", "max ms", "first byte p50 ms", "connect p50 ms", "connections",
                "cut off", "errors", "verdict");
        for (CellResult cell : cells) {
            row(table, "td", ResultLine.name(cell), Figures.number(cell.windowSeconds()),
                    Long.toString(cell.counts().requests()), Figures.number(cell.requestsPerSecond()),
                    Figures.number(cell.megabytesPerSecond()), Figures.number(cell.serverMicrosPerRequest()),
                    cell.countsBytes() ? Figures.number(cell.serverMillisPerGigabyte()) : "",
                    Figures.millis(cell.times().latency().p50()), Figures.millis(cell.times().latency().p90()),
                    Figures.millis(cell.times().latency().p99()), Figures.millis(cell.times().latency().p999()),
                    Figures.millis(cell.times().latency().max()), Figures.millis(cell.times().firstByte().p50()),
                    Figures.millis(cell.times().connect().p50()), Long.toString(cell.counts().connections()),
                    Long.toString(cell.counts().cutOff()), Long.toString(cell.errorCount()), cell.verdict());
        }
        return table.append("</table></div>\n").toString();
    }

    static String cpu(List<CellResult> cells) {
        StringBuilder table = new StringBuilder("<h2>Who used the cores</h2>\n<div class=\"wide\"><table>\n");
        row(table, "th", "cell", "server", "client", "other", "idle", "steal", "softirq (in the first three)",
                "client \u00b5s/req");
        for (CellResult cell : cells) {
            CpuUse cpu = cell.cpu();
            row(table, "td", ResultLine.name(cell), cores(cpu.server(), cell), cores(cpu.client(), cell),
                    cores(cpu.other(), cell), cores(cpu.idle(), cell), cores(cpu.steal(), cell),
                    cores(cpu.softirq(), cell), Figures.number(cell.clientMicrosPerRequest()));
        }
        return table.append("</table></div>\n").toString();
    }

    private static String cores(Double seconds, CellResult cell) {
        return Figures.number(seconds == null ? null : seconds / cell.windowSeconds());
    }

    private static void row(StringBuilder table, String tag, String... texts) {
        table.append("<tr>");
        for (String text : texts) {
            table.append('<').append(tag).append('>').append(Svg.escape(text)).append("</").append(tag).append('>');
        }
        table.append("</tr>\n");
    }
}
