package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Percentiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Makes one self-contained page: it has no script, and loads no font or picture. The page is well-formed XML too.
 * Confined to one thread.
 */
final class HtmlReport {

    private static final double MICROS_PER_MILLI = 1000;

    private static final double MUCH_BY_OTHERS = 0.1;

    private final RunFile run;
    private final StringBuilder page = new StringBuilder();

    HtmlReport(RunFile run) {
        this.run = run;
    }

    String html() {
        page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>")
                .append("<title>")
                .append(Svg.escape(run.title()))
                .append("</title><style>\n")
                .append(resource("report.css"))
                .append("</style></head><body>\n<h1>")
                .append(Svg.escape(run.title()))
                .append("</h1>\n<p>")
                .append(Svg.escape(run.started()))
                .append("</p>\n");
        if (run.experiment() != null) {
            page.append("<p>").append(Svg.escape(run.experiment().about())).append("</p>\n<ul>\n");
            run.experiment()
                    .scaled()
                    .forEach(
                            line -> page.append("<li>").append(Svg.escape(line)).append("</li>\n"));
            page.append("</ul>\n<p>")
                    .append(Svg.escape(ExperimentTables.basis(run)))
                    .append("</p>\n");
            ExperimentTables.of(run).forEach(table -> page.append(table.html()));
        }
        warnings();
        charts("Requests", cells(false));
        charts("Downloads", cells(true));
        page.append(CellTables.results(Aggregate.of(run.cells())));
        page.append(CellTables.sizes(run.cells()));
        page.append(CellTables.tls(run.cells()));
        page.append(CellTables.cpu(run.cells()));
        page.append("<h2>Environment</h2>\n").append(facts(run.environment()));
        page.append("<h2>Plan</h2>\n").append(facts(run.plan()));
        page.append("<h2>Command</h2>\n<pre>").append(Svg.escape(run.command())).append("</pre>\n");
        page.append(resource("definitions.html"));
        return page.append("</body></html>\n").toString();
    }

    private void warnings() {
        List<CellResult> bad = run.cells().stream()
                .filter(cell -> cell.errorCount() > 0 || !cell.valid())
                .toList();
        if (bad.isEmpty()) {
            page.append("<p class=\"good\">No error, and every cell is valid.")
                    .append(others())
                    .append("</p>\n");
        } else {
            items("<ul class=\"bad\">", bad, cell -> cell.verdict() + " " + ResultLine.errors(cell));
        }
        List<CellResult> noted =
                run.cells().stream().filter(cell -> !cell.notes().isEmpty()).toList();
        if (!noted.isEmpty()) {
            page.append("<details><summary>Notes on ")
                    .append(noted.size())
                    .append(" of ")
                    .append(run.cells().size())
                    .append(" cells</summary>\n");
            items("<ul>", noted, cell -> String.join("; ", cell.notes()));
            page.append("</details>\n");
        }
    }

    /** What makes valid figures less exact stands beside the good news. */
    private String others() {
        double most = run.cells().stream()
                .filter(cell -> cell.cpu().total() != null && cell.cpu().server() != null)
                .mapToDouble(cell -> cell.cpu().other() / cell.cpu().total())
                .max()
                .orElse(0);
        return most < MUCH_BY_OTHERS
                ? ""
                : String.format(Locale.ROOT, " But other processes took up to %.0f %% of the machine.", most * 100);
    }

    private void items(String tag, List<CellResult> cells, Function<CellResult, String> text) {
        page.append(tag).append('\n');
        cells.forEach(cell -> page.append("<li>")
                .append(Svg.escape((ResultLine.name(cell) + ": " + text.apply(cell)).strip()))
                .append("</li>\n"));
        page.append("</ul>\n");
    }

    private List<CellResult> cells(boolean bytes) {
        return run.cells().stream().filter(cell -> cell.countsBytes() == bytes).toList();
    }

    private void charts(String heading, List<CellResult> results) {
        if (results.isEmpty()) {
            return;
        }
        page.append("<h2>").append(heading).append("</h2>\n<div class=\"charts\">\n");
        List<Aggregate> cells = Aggregate.of(results);
        boolean bytes = results.get(0).countsBytes();
        pair(cells, "Throughput", bytes ? "MB/s" : "requests/s", CellResult::throughput);
        pair(
                cells,
                bytes ? "Megabytes per second of server CPU" : "Requests per second of server CPU",
                bytes ? "MB" : "requests",
                HtmlReport::workPerCpuSecond);
        pair(cells, "Server CPU", bytes ? "ms per GB" : "\u00b5s per request", CellResult::cost);
        pair(cells, "Latency, median", "ms", cell -> millis(cell.times().latency(), Percentiles::p50));
        pair(cells, "Latency, 99 %", "ms", cell -> millis(cell.times().latency(), Percentiles::p99));
        if (bytes) {
            pair(
                    cells,
                    "First body byte, median",
                    "ms",
                    cell -> millis(cell.times().firstByte(), Percentiles::p50));
        }
        page.append(DetailCharts.percentiles(results))
                .append(DetailCharts.series(results))
                .append("</div>\n");
    }

    private static Double millis(Percentiles times, Function<Percentiles, Double> figure) {
        Double micros = FigureFormat.of(times, figure);
        return micros == null ? null : micros / MICROS_PER_MILLI;
    }

    /** Work per second of server CPU, which compares servers best where client and server share cores. */
    private static Double workPerCpuSecond(CellResult cell) {
        Double server = cell.cpu().server();
        return server == null || server == 0 ? null : cell.throughput() * cell.windowSeconds() / server;
    }

    /** Adds lines over the number of clients where several were measured, and bars for the other cells. */
    private void pair(List<Aggregate> cells, String title, String unit, Function<CellResult, Double> value) {
        Chart lines = new Chart(title + " by clients", unit);
        Chart bars = new Chart(title, unit);
        Map<String, List<Aggregate>> groups = new LinkedHashMap<>();
        for (Aggregate cell : byLabel(cells)) {
            Map<String, String> rest = new LinkedHashMap<>(cell.parameters());
            rest.remove("clients");
            groups.computeIfAbsent(ResultLine.name(cell.label(), rest), key -> new ArrayList<>())
                    .add(cell);
        }
        List<Aggregate> single = new ArrayList<>();
        for (Map.Entry<String, List<Aggregate>> group : groups.entrySet()) {
            if (group.getValue().size() == 1) {
                single.add(group.getValue().get(0));
                continue;
            }
            for (Aggregate cell : group.getValue()) {
                lines.add(group.getKey().strip(), cell.parameters().get("clients"), cell.interval(value));
            }
        }
        boolean byFile = filesDiffer(single);
        for (Aggregate cell : single) {
            bars.add(cell.label().isEmpty() ? title : cell.label(), barName(cell, byFile), cell.interval(value));
        }
        page.append(lines.isEmpty() ? "" : lines.lines()).append(bars.isEmpty() ? "" : bars.bars());
    }

    /** Cells sorted by variant, so that a variant has the same colour in all charts. */
    private List<Aggregate> byLabel(List<Aggregate> cells) {
        List<String> labels =
                run.cells().stream().map(CellResult::label).distinct().sorted().toList();
        return cells.stream()
                .sorted(Comparator.comparingInt(cell -> labels.indexOf(cell.label())))
                .toList();
    }

    /** Whether file names distinguish the cells of each variant. Otherwise bars of one file would hide each other. */
    private static boolean filesDiffer(List<Aggregate> cells) {
        return cells.stream()
                        .map(cell -> List.of(cell.label(), barName(cell, true)))
                        .distinct()
                        .count()
                == cells.size();
    }

    private static String barName(Aggregate cell, boolean byFile) {
        String file = cell.parameters().get("file");
        return byFile && file != null ? file : FigureFormat.cell(cell.parameters());
    }

    private static String facts(Map<String, String> facts) {
        StringBuilder table = new StringBuilder("<table>\n");
        facts.forEach((name, value) -> table.append("<tr><th>")
                .append(Svg.escape(name))
                .append("</th><td>")
                .append(Svg.escape(value))
                .append("</td></tr>\n"));
        return table.append("</table>\n").toString();
    }

    private static String resource(String name) {
        try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
