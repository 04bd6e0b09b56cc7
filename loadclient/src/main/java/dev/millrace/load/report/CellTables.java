package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CpuUse;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.SizeResult;
import dev.millrace.load.run.TlsResult;
import java.util.List;
import java.util.function.Function;

/** Writes the tables of a report as HTML. Stateless. */
final class CellTables {

    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    private CellTables() {}

    static String results(List<Aggregate> cells) {
        StringBuilder table = new StringBuilder("<h2>All cells</h2>\n<div class=\"wide\"><table>\n");
        row(
                table,
                "th",
                "cell",
                "model",
                "runs",
                "window s",
                "requests",
                "req/s",
                "\u00b1%",
                "MB/s",
                "srv \u00b5s/req",
                "srv ms/GB",
                "p50 ms",
                "p90 ms",
                "p99 ms",
                "p99.9 ms",
                "max ms",
                "raw p50 ms",
                "raw p99 ms",
                "header byte p50 ms",
                "body byte p50 ms",
                "connect p50 ms",
                "late p99 ms",
                "connections",
                "cut off",
                "errors",
                "verdict");
        for (Aggregate cell : cells) {
            Interval rate = cell.interval(CellResult::requestsPerSecond);
            row(
                    table,
                    "td",
                    ResultLine.name(cell.label(), cell.parameters()),
                    cell.first().model(),
                    Integer.toString(cell.repetitions().size()),
                    FigureFormat.number(cell.mean(CellResult::windowSeconds)),
                    FigureFormat.number(
                            cell.mean(result -> (double) result.counts().requests())),
                    FigureFormat.number(rate.mean()),
                    FigureFormat.number(rate.percent()),
                    FigureFormat.number(cell.mean(CellResult::megabytesPerSecond)),
                    FigureFormat.number(cell.mean(CellResult::serverMicrosPerRequest)),
                    cell.first().countsBytes()
                            ? FigureFormat.number(cell.mean(CellResult::serverMillisPerGigabyte))
                            : "",
                    time(cell, r -> r.times().latency(), Percentiles::p50),
                    time(cell, r -> r.times().latency(), Percentiles::p90),
                    time(cell, r -> r.times().latency(), Percentiles::p99),
                    time(cell, r -> r.times().latency(), Percentiles::p999),
                    time(cell, r -> r.times().latency(), Percentiles::max),
                    time(cell, r -> r.times().raw(), Percentiles::p50),
                    time(cell, r -> r.times().raw(), Percentiles::p99),
                    time(cell, r -> r.times().headerByte(), Percentiles::p50),
                    time(cell, r -> r.times().firstByte(), Percentiles::p50),
                    time(cell, r -> r.times().connect(), Percentiles::p50),
                    time(cell, r -> r.times().lateness(), Percentiles::p99),
                    FigureFormat.number(
                            cell.mean(result -> (double) result.counts().connections())),
                    FigureFormat.number(
                            (double) cell.cutOff() / cell.repetitions().size()),
                    Long.toString(cell.errors()),
                    cell.verdict());
        }
        return table.append("</table></div>\n").toString();
    }

    private static String time(
            Aggregate cell, Function<CellResult, Percentiles> times, Function<Percentiles, Double> which) {
        return FigureFormat.millis(cell.mean(result -> FigureFormat.of(times.apply(result), which)));
    }

    static String sizes(List<CellResult> cells) {
        if (cells.stream().allMatch(cell -> cell.sizes().isEmpty())) {
            return "";
        }
        StringBuilder table = new StringBuilder("<h2>Downloads by file size</h2>\n<div class=\"wide\"><table>\n");
        row(
                table,
                "th",
                "cell",
                "bytes",
                "MiB",
                "complete",
                "init p50 ms",
                "init p99 ms",
                "speed mean MB/s",
                "slowest 1 % MB/s",
                "median MB/s");
        for (CellResult cell : cells) {
            for (SizeResult size : cell.sizes()) {
                row(
                        table,
                        "td",
                        ResultLine.name(cell),
                        Long.toString(size.size()),
                        FigureFormat.number(size.size() / BYTES_PER_MEBIBYTE),
                        Long.toString(size.downloads()),
                        FigureFormat.millis(size.init().p50()),
                        FigureFormat.millis(size.init().p99()),
                        FigureFormat.number(size.speed()),
                        FigureFormat.number(size.speedP1()),
                        FigureFormat.number(size.speedP50()));
            }
        }
        return table.append("</table></div>\n").toString();
    }

    static String tls(List<CellResult> cells) {
        if (cells.stream().allMatch(cell -> cell.tls() == null)) {
            return "";
        }
        StringBuilder table = new StringBuilder("<h2>TLS</h2>\n<div class=\"wide\"><table>\n");
        row(
                table,
                "th",
                "cell",
                "run",
                "version and cipher suite",
                "full handshakes",
                "resumed",
                "handshake p50 ms",
                "handshake p99 ms");
        for (CellResult cell : cells) {
            TlsResult tls = cell.tls();
            if (tls != null) {
                row(
                        table,
                        "td",
                        ResultLine.name(cell),
                        Integer.toString(cell.repetition() + 1),
                        tls.version(),
                        Long.toString(tls.full()),
                        Long.toString(tls.resumed()),
                        FigureFormat.millis(FigureFormat.of(tls.handshake(), Percentiles::p50)),
                        FigureFormat.millis(FigureFormat.of(tls.handshake(), Percentiles::p99)));
            }
        }
        return table.append("</table></div>\n").toString();
    }

    static String cpu(List<CellResult> cells) {
        StringBuilder table = new StringBuilder("<h2>Who used the cores</h2>\n<div class=\"wide\"><table>\n");
        row(
                table,
                "th",
                "cell",
                "run",
                "",
                "server",
                "client",
                "other",
                "idle",
                "steal",
                "softirq (in the first three)",
                "client \u00b5s/req",
                "server threads",
                "server MiB");
        for (CellResult cell : cells) {
            CpuUse cpu = cell.cpu();
            StringBuilder plain = new StringBuilder();
            row(
                    plain,
                    "td",
                    ResultLine.name(cell),
                    Integer.toString(cell.repetition() + 1),
                    "@",
                    cores(cpu.server(), cell),
                    cores(cpu.client(), cell),
                    cores(cpu.other(), cell),
                    cores(cpu.idle(), cell),
                    cores(cpu.steal(), cell),
                    cores(cpu.softirq(), cell),
                    FigureFormat.number(cell.clientMicrosPerRequest()),
                    cpu.serverThreads() == null
                            ? FigureFormat.UNKNOWN
                            : cpu.serverThreads().toString(),
                    FigureFormat.number(
                            cpu.serverResidentBytes() == null ? null : cpu.serverResidentBytes() / BYTES_PER_MEBIBYTE));
            table.append(plain.toString().replace("<td>@</td>", "<td>" + split(cpu) + "</td>"));
        }
        return table.append("</table></div>\n").toString();
    }

    /** A bar of the machine's CPU time: server, client, other, steal; the rest was idle. */
    private static String split(CpuUse cpu) {
        Double total = cpu.total();
        if (total == null || total == 0) {
            return "";
        }
        int width = 160;
        Svg svg = new Svg(width, 12, "server, client, other, steal, idle");
        double x = 0;
        int colour = 0;
        for (Double part :
                new Double[] {cpu.serverElsewhere() ? null : cpu.server(), cpu.client(), cpu.other(), cpu.steal()}) {
            double length = part == null ? 0 : part / total * width;
            svg.bar(x, 0, length, 12, ChartFrame.fill(colour++), FigureFormat.number(part) + " s");
            x += length;
        }
        return svg.done();
    }

    private static String cores(Double seconds, CellResult cell) {
        return FigureFormat.number(seconds == null ? null : seconds / cell.windowSeconds());
    }

    private static void row(StringBuilder table, String tag, String... texts) {
        table.append("<tr>");
        for (String text : texts) {
            table.append('<')
                    .append(tag)
                    .append('>')
                    .append(Svg.escape(text))
                    .append("</")
                    .append(tag)
                    .append('>');
        }
        table.append("</tr>\n");
    }
}
