package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * One page with everything in it: no script, no font, no picture from elsewhere, and well-formed as XML too. Confined to
 * one thread.
 */
final class HtmlReport {

    private final RunFile run;

    HtmlReport(RunFile run) {
        this.run = run;
    }

    String html() {
        StringBuilder page = new StringBuilder();
        page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>")
                .append("<title>").append(Svg.escape(run.title())).append("</title><style>\n").append(style())
                .append("</style></head><body>\n<h1>").append(Svg.escape(run.title())).append("</h1>\n<p>")
                .append(Svg.escape(run.started())).append("</p>\n");
        warnings(page);
        charts(page, "Requests", cells(false));
        charts(page, "Downloads", cells(true));
        page.append(CellTables.results(run.cells()));
        page.append(CellTables.cpu(run.cells()));
        page.append("<h2>Environment</h2>\n").append(facts(run.environment()));
        page.append("<h2>Plan</h2>\n").append(facts(run.plan()));
        page.append("<h2>Command</h2>\n<pre>").append(Svg.escape(run.command())).append("</pre>\n");
        definitions(page);
        return page.append("</body></html>\n").toString();
    }

    private void warnings(StringBuilder page) {
        List<CellResult> bad = run.cells().stream().filter(cell -> cell.errorCount() > 0 || !cell.valid()).toList();
        if (bad.isEmpty()) {
            page.append("<p class=\"good\">No error, and every cell is valid.</p>\n");
            return;
        }
        page.append("<ul class=\"bad\">\n");
        for (CellResult cell : bad) {
            page.append("<li>").append(Svg.escape(ResultLine.name(cell) + ": " + cell.verdict() + " "
                    + ResultLine.errors(cell))).append("</li>\n");
        }
        page.append("</ul>\n");
    }

    private List<CellResult> cells(boolean bytes) {
        return run.cells().stream().filter(cell -> cell.countsBytes() == bytes).toList();
    }

    private static void charts(StringBuilder page, String heading, List<CellResult> cells) {
        if (cells.isEmpty()) {
            return;
        }
        page.append("<h2>").append(heading).append("</h2>\n<div class=\"charts\">\n");
        boolean bytes = cells.get(0).countsBytes();
        Function<CellResult, Double> rate = bytes ? CellResult::megabytesPerSecond : CellResult::requestsPerSecond;
        Function<CellResult, Double> cost =
                bytes ? CellResult::serverMillisPerGigabyte : CellResult::serverMicrosPerRequest;
        pair(page, cells, "Throughput", bytes ? "MB/s" : "requests/s", rate);
        pair(page, cells, "Server CPU", bytes ? "ms per GB" : "\u00b5s per request", cost);
        pair(page, cells, "Latency, median", "ms", cell -> cell.times().latency().p50() / 1000);
        pair(page, cells, "Latency, 99 %", "ms", cell -> cell.times().latency().p99() / 1000);
        if (bytes) {
            pair(page, cells, "First body byte, median", "ms", cell -> cell.times().firstByte().p50() / 1000);
        }
        page.append("</div>\n");
    }

    /** Lines over the number of clients for settings that were swept over it, bars for the others. */
    private static void pair(StringBuilder page, List<CellResult> cells, String title, String unit,
                             Function<CellResult, Double> value) {
        Chart lines = new Chart(title + " by clients", unit);
        Chart bars = new Chart(title, unit);
        Map<String, List<CellResult>> groups = new LinkedHashMap<>();
        for (CellResult cell : cells) {
            Map<String, String> rest = new LinkedHashMap<>(cell.parameters());
            rest.remove("clients");
            groups.computeIfAbsent(cell.label() + " " + Figures.cell(rest), key -> new ArrayList<>()).add(cell);
        }
        for (Map.Entry<String, List<CellResult>> group : groups.entrySet()) {
            boolean swept = group.getValue().stream().map(CellTables::clients).distinct().count() > 1;
            for (CellResult cell : group.getValue()) {
                if (swept) {
                    lines.add(group.getKey().strip(), CellTables.clients(cell), value.apply(cell));
                } else {
                    bars.add(cell.label().isEmpty() ? title : cell.label(), barName(cell), value.apply(cell));
                }
            }
        }
        page.append(lines.isEmpty() ? "" : lines.lines()).append(bars.isEmpty() ? "" : bars.bars());
    }

    private static String barName(CellResult cell) {
        return cell.countsBytes() && cell.parameters().containsKey("file") ? cell.parameters().get("file")
                : Figures.cell(cell.parameters());
    }

    private static String facts(Map<String, String> facts) {
        StringBuilder table = new StringBuilder("<table>\n");
        facts.forEach((name, value) -> table.append("<tr><th>").append(Svg.escape(name)).append("</th><td>")
                .append(Svg.escape(value)).append("</td></tr>\n"));
        return table.append("</table>\n").toString();
    }

    private static void definitions(StringBuilder page) {
        page.append("<h2>Definitions</h2>\n<p>Rates count verified answers, and body bytes that came, inside the ")
                .append("measured window. Latency runs from the request (before connecting, if a connection is needed) ")
                .append("to the last byte; the first body byte from the same start. MB and GB are 10<sup>6</sup> and ")
                .append("10<sup>9</sup> bytes. Server CPU is the process's user and system time by the operating ")
                .append("system's account; over loopback it holds a part of the receiver's network input, so it ")
                .append("compares servers on one machine and says nothing absolute. Closed model: with few clients ")
                .append("throughput follows latency.</p>\n");
    }

    private static String style() {
        try (InputStream css = HtmlReport.class.getResourceAsStream("report.css")) {
            return new String(css.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
