package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CpuUse;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.SizeResult;
import dev.millrace.load.run.TlsResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes the tables of a report as HTML. Stateless. */
final class CellTables {

    private static final double BYTES_PER_MEBIBYTE = 1 << 20;
    private static final String SHARE = "share";
    /** Whose CPU time the bar of a cell shows. */
    private static final List<String> PARTS = List.of("server", "other servers", "client", "other", "steal");

    private static final int PARTNERS_COLUMN = 4;

    private CellTables() {}

    static String results(List<Aggregate> cells) {
        List<String> heading = List.of(
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
        return new Table(
                        "All cells",
                        heading,
                        cells.stream().map(CellTables::result).toList())
                .wideHtml();
    }

    private static List<String> result(Aggregate cell) {
        Interval rate = Objects.requireNonNull(cell.interval(CellResult::requestsPerSecond));
        return List.of(
                ResultLine.name(cell.label(), cell.parameters()),
                cell.first().model(),
                Integer.toString(cell.repetitions().size()),
                FigureFormat.number(cell.mean(CellResult::windowSeconds)),
                FigureFormat.number(cell.mean(result -> (double) result.counts().requests())),
                FigureFormat.number(rate.mean()),
                FigureFormat.number(rate.percent()),
                FigureFormat.number(cell.mean(CellResult::megabytesPerSecond)),
                FigureFormat.number(cell.mean(CellResult::serverMicrosPerRequest)),
                Cost.of(cell.repetitions()) == Cost.PER_GIGABYTE
                        ? FigureFormat.number(cell.mean(CellResult::serverMillisPerGigabyte))
                        : "",
                time(cell, r -> r.times().latency(), Percentiles::p50),
                time(cell, r -> r.times().latency(), Percentiles::p90),
                time(cell, r -> r.times().latency(), Percentiles::p99),
                time(cell, r -> r.times().latency(), Percentiles::p999),
                FigureFormat.millis(
                        cell.most(result -> FigureFormat.of(result.times().latency(), Percentiles::max))),
                time(cell, r -> r.times().raw(), Percentiles::p50),
                time(cell, r -> r.times().raw(), Percentiles::p99),
                time(cell, r -> r.times().headerByte(), Percentiles::p50),
                time(cell, r -> r.times().firstByte(), Percentiles::p50),
                time(cell, r -> r.times().connect(), Percentiles::p50),
                time(cell, r -> r.times().lateness(), Percentiles::p99),
                FigureFormat.number(cell.mean(result -> (double) result.counts().connections())),
                FigureFormat.number((double) cell.cutOff() / cell.repetitions().size()),
                Long.toString(cell.errors()),
                cell.verdict());
    }

    /** The mean of a figure over the soundest repetitions. */
    private static String time(
            Aggregate cell, Function<CellResult, Percentiles> times, Function<Percentiles, @Nullable Double> which) {
        return FigureFormat.millis(cell.mean(result -> FigureFormat.of(times.apply(result), which)));
    }

    static String sizes(List<CellResult> cells) {
        List<List<String>> rows = new ArrayList<>();
        for (CellResult cell : cells) {
            for (SizeResult size : cell.sizes()) {
                rows.add(List.of(
                        ResultLine.name(cell),
                        Long.toString(size.size()),
                        FigureFormat.number(size.size() / BYTES_PER_MEBIBYTE),
                        Long.toString(size.downloads()),
                        FigureFormat.millis(size.init().p50()),
                        FigureFormat.millis(size.init().p99()),
                        FigureFormat.number(size.speed()),
                        FigureFormat.number(size.speedP1()),
                        FigureFormat.number(size.speedP50())));
            }
        }
        List<String> heading = List.of(
                "cell",
                "bytes",
                "MiB",
                "complete",
                "init p50 ms",
                "init p99 ms",
                "speed mean MB/s",
                "slowest 1 % MB/s",
                "median MB/s");
        return rows.isEmpty() ? "" : new Table("Downloads by file size", heading, rows).wideHtml();
    }

    static String tls(List<CellResult> cells) {
        List<List<String>> rows = new ArrayList<>();
        for (CellResult cell : cells) {
            TlsResult tls = cell.tls();
            if (tls != null) {
                rows.add(List.of(
                        ResultLine.name(cell),
                        Integer.toString(cell.repetition() + 1),
                        tls.version(),
                        Long.toString(tls.full()),
                        Long.toString(tls.resumed()),
                        FigureFormat.millis(FigureFormat.of(tls.handshake(), Percentiles::p50)),
                        FigureFormat.millis(FigureFormat.of(tls.handshake(), Percentiles::p99))));
            }
        }
        List<String> heading = List.of(
                "cell",
                "run",
                "version and cipher suite",
                "full handshakes",
                "resumed",
                "handshake p50 ms",
                "handshake p99 ms");
        return rows.isEmpty() ? "" : new Table("TLS", heading, rows).wideHtml();
    }

    static String cpu(List<CellResult> cells) {
        boolean together = cells.stream().anyMatch(cell -> cell.cpu().partners() != null);
        List<String> heading = new ArrayList<>(List.of(
                "cell",
                "run",
                SHARE,
                "server",
                "client",
                "other",
                "idle",
                "steal",
                "softirq (part of those before idle)",
                "client \u00b5s/req",
                "server threads",
                "server MiB"));
        if (together) {
            heading.add(PARTNERS_COLUMN, PARTS.get(1));
        }
        return new Table(
                        "Who used the cores",
                        heading,
                        cells.stream().map(cell -> cpu(cell, together)).toList())
                .html("wide", SHARE);
    }

    private static List<String> cpu(CellResult cell, boolean together) {
        CpuUse cpu = cell.cpu();
        Long threads = cpu.serverThreads();
        Long resident = cpu.serverResidentBytes();
        List<String> row = new ArrayList<>(List.of(
                ResultLine.name(cell),
                Integer.toString(cell.repetition() + 1),
                split(cpu),
                cores(cpu.server(), cell),
                cores(cpu.client(), cell),
                cores(cpu.other(), cell),
                cores(cpu.idle(), cell),
                cores(cpu.steal(), cell),
                cores(cpu.softirq(), cell),
                FigureFormat.number(cell.clientMicrosPerRequest()),
                threads == null ? FigureFormat.UNKNOWN : threads.toString(),
                FigureFormat.number(resident == null ? null : resident / BYTES_PER_MEBIBYTE)));
        if (together) {
            row.add(PARTNERS_COLUMN, cores(cpu.partners(), cell));
        }
        return row;
    }

    /** A bar of the machine's CPU time; what is left of it was idle. */
    private static String split(CpuUse cpu) {
        Double total = cpu.total();
        if (total == null || total == 0) {
            return "";
        }
        int width = 160;
        Svg svg = new Svg(width, 12, String.join(", ", PARTS) + ", idle");
        double x = 0;
        int part = 0;
        for (@Nullable Double seconds : new @Nullable Double[] {
            cpu.serverElsewhere() ? null : cpu.server(), cpu.partners(), cpu.client(), cpu.other(), cpu.steal()
        }) {
            if (seconds != null) {
                double length = seconds / total * width;
                svg.bar(x, 0, length, 12, "p" + part, PARTS.get(part) + " " + FigureFormat.number(seconds) + " s");
                x += length;
            }
            part++;
        }
        return svg.done();
    }

    private static String cores(@Nullable Double seconds, CellResult cell) {
        return FigureFormat.number(seconds == null ? null : seconds / cell.windowSeconds());
    }
}
