package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.TlsResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.jspecify.annotations.Nullable;

/** Writes results in the formats of other tools. Stateless. */
final class Exports {

    private static final double NANOS_PER_MILLI = 1e6;
    /** Lines of a percentile distribution for each halving of the distance to 100 %. */
    private static final int TICKS_PER_HALF = 5;
    /** File systems take 255 bytes, with the repetition, a number and the ending. */
    private static final int LONGEST_NAME = 200;

    private static final String HGRM = ".hgrm";
    private static final List<String> TIMES = List.of("p50", "p90", "p99", "p999", "max");
    private static final List<Function<Percentiles, @Nullable Double>> FIGURES =
            List.of(Percentiles::p50, Percentiles::p90, Percentiles::p99, Percentiles::p999, Percentiles::max);

    private Exports() {}

    /** Writes {@code latency.hlog}, HdrHistogram's log, with a tagged interval per cell. */
    static void hlog(List<CellResult> cells, Path file) throws IOException {
        Files.write(file, printed(log -> {
            HistogramLogWriter writer = new HistogramLogWriter(log);
            writer.outputLogFormatVersion();
            writer.outputLegend();
            double start = 0;
            List<String> names = fileNames(cells);
            for (int i = 0; i < cells.size(); i++) {
                CellResult cell = cells.get(i);
                if (!cell.histogram().isEmpty()) {
                    Histogram histogram = cell.latencies();
                    histogram.setTag(names.get(i));
                    writer.outputIntervalHistogram(start, start + cell.windowSeconds(), histogram, NANOS_PER_MILLI);
                    start += cell.windowSeconds();
                }
            }
        }));
    }

    /** Writes a percentile distribution per cell. Those of an earlier run go: they would be taken for this one's. */
    static void hgrm(List<CellResult> cells, Path folder) throws IOException {
        List<String> names = fileNames(cells);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + HGRM)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (!names.contains(name.substring(0, name.length() - HGRM.length()))) {
                    Files.delete(file);
                }
            }
        }
        for (int i = 0; i < cells.size(); i++) {
            CellResult cell = cells.get(i);
            if (!cell.histogram().isEmpty()) {
                Files.write(
                        folder.resolve(names.get(i) + HGRM),
                        printed(out ->
                                cell.latencies().outputPercentileDistribution(out, TICKS_PER_HALF, NANOS_PER_MILLI)));
            }
        }
    }

    /** Collects the content in memory, because a PrintStream over a file hides that the disk is full. */
    private static byte[] printed(Consumer<PrintStream> content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            content.accept(out);
        }
        return bytes.toByteArray();
    }

    /** A row per cell and repetition; unknown values are empty. */
    static String csv(List<CellResult> cells) {
        Set<String> parameters = new LinkedHashSet<>();
        cells.forEach(cell -> parameters.addAll(cell.parameters().keySet()));
        List<String> heading = new ArrayList<>(List.of("label"));
        heading.addAll(parameters);
        heading.addAll(List.of(
                "repetition",
                "model",
                "window_s",
                "requests",
                "bytes",
                "requests_per_s",
                "mb_per_s",
                "server_us_per_request",
                "server_ms_per_gb",
                "client_us_per_request",
                "server_cores",
                "client_cores",
                "other_cores",
                "idle_cores",
                "steal_cores",
                "partner_cores"));
        TIMES.forEach(time -> heading.add("latency_" + time + "_us"));
        TIMES.forEach(time -> heading.add("first_byte_" + time + "_us"));
        heading.addAll(List.of("connections", "cut_off", "stalled", "unsent", "errors", "verdict"));
        heading.addAll(List.of("tls", "full_handshakes", "resumed_handshakes", "handshake_p50_us"));
        StringBuilder csv = new StringBuilder(String.join(",", heading)).append('\n');
        cells.forEach(cell -> csv.append(row(cell, parameters)).append('\n'));
        return csv.toString();
    }

    private static String row(CellResult cell, Set<String> parameters) {
        List<String> row = new ArrayList<>(List.of(quoted(cell.label())));
        parameters.forEach(name -> row.add(quoted(cell.parameters().getOrDefault(name, ""))));
        row.addAll(List.of(
                Integer.toString(cell.repetition()),
                cell.model(),
                plain(cell.windowSeconds()),
                Long.toString(cell.counts().requests()),
                Long.toString(cell.counts().bytes()),
                plain(cell.requestsPerSecond()),
                plain(cell.megabytesPerSecond()),
                plain(cell.serverMicrosPerRequest()),
                plain(cell.serverMillisPerGigabyte()),
                plain(cell.clientMicrosPerRequest())));
        List<Function<CellResult, @Nullable Double>> seconds = List.of(
                c -> c.cpu().server(),
                c -> c.cpu().client(),
                c -> c.cpu().other(),
                c -> c.cpu().idle(),
                c -> c.cpu().steal(),
                c -> c.cpu().partners());
        for (Function<CellResult, @Nullable Double> one : seconds) {
            Double used = one.apply(cell);
            row.add(plain(used == null ? null : used / cell.windowSeconds()));
        }
        for (var times : List.of(cell.times().latency(), cell.times().firstByte())) {
            FIGURES.forEach(figure -> row.add(plain(FigureFormat.of(times, figure))));
        }
        row.addAll(List.of(
                Long.toString(cell.counts().connections()),
                Long.toString(cell.counts().cutOff()),
                Long.toString(cell.counts().stalled()),
                Long.toString(cell.counts().unsent()),
                Long.toString(cell.errorCount()),
                quoted(cell.verdict())));
        TlsResult tls = cell.tls();
        row.addAll(
                tls == null
                        ? List.of("", "", "", "")
                        : List.of(
                                quoted(tls.version()),
                                Long.toString(tls.full()),
                                Long.toString(tls.resumed()),
                                plain(FigureFormat.of(tls.handshake(), Percentiles::p50))));
        return String.join(",", row);
    }

    /** A file name for each cell, made from its settings. Those that would be the same have numbers. */
    private static List<String> fileNames(List<CellResult> cells) {
        Set<String> names = new LinkedHashSet<>();
        for (CellResult cell : cells) {
            String settings = ResultLine.name(cell).replaceAll("[^\\w.=-]+", "_");
            String name = settings.substring(0, Math.min(settings.length(), LONGEST_NAME)) + "-" + cell.repetition();
            String unique = name;
            for (int i = 2; !names.add(unique); i++) {
                unique = name + "_" + i;
            }
        }
        return List.copyOf(names);
    }

    private static String plain(@Nullable Double value) {
        return value == null ? "" : String.format(Locale.ROOT, "%.6g", value);
    }

    /** A field of a CSV file (RFC 4180). */
    private static String quoted(String text) {
        return text.matches("[^\",\r\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
