package dev.millrace.load.report;

import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CpuUse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Makes one self-contained page: it has no script, and loads no font or picture. The page is well-formed XML too.
 * Confined to one thread.
 */
final class HtmlReport {

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
                .append("</style></head><body><main>\n<h1>")
                .append(Svg.escape(run.title()))
                .append("</h1>\n<p>")
                .append(Svg.escape(run.started()))
                .append("</p>\n");
        warnings();
        RatioTables.of(run).forEach(table -> page.append(table.html()));
        Experiment experiment = run.experiment();
        if (experiment != null) {
            page.append("<p>").append(Svg.escape(experiment.about())).append("</p>\n<ul>\n");
            experiment
                    .scaled()
                    .forEach(
                            line -> page.append("<li>").append(Svg.escape(line)).append("</li>\n"));
            page.append("</ul>\n<p>")
                    .append(Svg.escape(ExperimentTables.basis(run)))
                    .append("</p>\n");
            List<Table> tables = new ArrayList<>(ExperimentTables.of(run));
            Collections.rotate(tables, 1); // Claims come first.
            tables.forEach(table -> page.append(table.html()));
        }
        SeriesColours colours = new SeriesColours();
        page.append(ChartSection.of("Requests", cells(false), colours));
        page.append(ChartSection.of("Downloads", cells(true), colours));
        page.append(CellTables.results(Aggregate.of(run.cells())));
        page.append(CellTables.sizes(run.cells()));
        page.append(CellTables.tls(run.cells()));
        page.append(CellTables.cpu(run.cells()));
        page.append("<h2>Environment</h2>\n").append(facts(run.environment()));
        page.append("<h2>Plan</h2>\n").append(facts(run.plan()));
        page.append("<h2>Command</h2>\n<pre>").append(Svg.escape(run.command())).append("</pre>\n");
        page.append(resource("definitions.html"));
        return page.append("</main></body></html>\n").toString();
    }

    private void warnings() {
        List<CellResult> bad = run.cells().stream()
                .filter(cell -> cell.errorCount() > 0 || !cell.valid())
                .toList();
        String others = others();
        if (run.cells().isEmpty()) {
            page.append("<p class=\"bad\">Nothing was measured.</p>\n");
        } else if (bad.isEmpty()) {
            page.append("<p class=\"good\">No error, and every cell is valid.")
                    .append(others.isEmpty() ? "" : " But " + others)
                    .append("</p>\n");
        } else {
            items("<ul class=\"bad\">", bad, cell -> cell.verdict() + " " + ResultLine.errors(cell));
            page.append(others.isEmpty() ? "" : "<p>In a window, " + others + "</p>\n");
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

    /** What makes valid figures less exact; empty for nothing. */
    private String others() {
        double most = run.cells().stream()
                .map(CellResult::cpu)
                .map(CpuUse::othersShare)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        return most < CpuUse.MUCH_BY_OTHERS
                ? ""
                : String.format(Locale.ROOT, "other processes took up to %.0f %% of the machine.", most * 100);
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

    private static String facts(Map<String, String> facts) {
        StringBuilder table = new StringBuilder("<table class=\"facts\">\n");
        facts.forEach((name, value) -> table.append("<tr><th scope=\"row\">")
                .append(Svg.escape(name))
                .append("</th><td>")
                .append(Svg.escape(value))
                .append("</td></tr>\n"));
        return table.append("</table>\n").toString();
    }

    private static String resource(String name) {
        try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
