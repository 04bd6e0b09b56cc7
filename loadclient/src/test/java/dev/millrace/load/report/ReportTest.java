package dev.millrace.load.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Counts;
import dev.millrace.load.run.CpuUse;
import dev.millrace.load.run.FailureCount;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Series;
import dev.millrace.load.run.Times;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The report is one well-formed page that loads nothing, and {@code run.json} can be read again. */
class ReportTest {

    @TempDir
    private Path folder;

    private static CellResult cell(String label, int clients, String file, Map<String, FailureCount> errors) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("clients", Integer.toString(clients));
        parameters.put(file == null ? "method" : "file", file == null ? "GET" : file);
        Percentiles times = new Percentiles(1000, 2, 1.0, 3.0, 4.0, 5.0, 6);
        return new CellResult(
                label,
                parameters,
                0,
                "closed",
                file != null,
                2.0,
                new Counts(1000, 5_000_000, clients, 0, 0, 0),
                errors,
                new Times(times, null, times, times, times, null),
                List.of(),
                new CpuUse(0.5, 0.4, 0.1, 3.0, 0.0, 0.2, 10L, 1000L, false, null),
                new Series(List.of(100L), List.of(500L, 500L), List.of(1L, 2L)),
                "",
                errors.isEmpty() ? "ok" : "errors",
                List.of());
    }

    private static RunFile run() {
        List<CellResult> cells = new ArrayList<>();
        for (String label : List.of("A <&> \"b\"", "B")) {
            cells.add(cell(label, 1, null, Map.of()));
            cells.add(cell(label, 8, null, Map.of()));
            cells.add(cell(label, 4, "1k.bin", Map.of("reset", new FailureCount(2, "closed <early>"))));
            cells.add(cell(label, 4, "1m.bin", Map.of()));
        }
        return RunFile.of(
                "Title <x> & y",
                "2026-01-01T00:00:00Z",
                "java -jar x \"<y>\"",
                Map.of("os", "<none> & such \u0001\uFFFE\uD83D\uDE00"),
                Map.of("window", "2 s"),
                cells);
    }

    @Test
    void aTimeBelowTheClocksTickIsNotKnown() {
        CellResult cell = cell("", 1, null, Map.of());
        CpuUse none = new CpuUse(0.0, 0.0, 0.1, 3.0, 0.0, 0.2, 10L, 1000L, false, null);
        String line = ResultLine.of(with(cell, cell.counts(), none), 1);
        assertTrue(line.contains(" | srv       - us/req     - cpu | cli     - cpu | "), line);
    }

    @Test
    void thePageIsWellFormedAndSelfContained() throws Exception {
        String html = Files.readString(ReportFolder.write(run(), folder));
        Document page = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(folder.resolve("report.html").toFile());
        NodeList elements = page.getElementsByTagName("*");
        int pictures = 0;
        for (int i = 0; i < elements.getLength(); i++) {
            Element element = (Element) elements.item(i);
            assertFalse(element.hasAttribute("src") || element.hasAttribute("href"), element.getTagName());
            assertFalse(List.of("script", "link", "iframe", "img").contains(element.getTagName()));
            pictures += element.getTagName().equals("svg") ? 1 : 0;
        }
        assertTrue(pictures >= 8, "pictures: " + pictures);
        assertFalse(html.contains("url(") || html.contains("@import"));
        assertTrue(html.contains("prefers-color-scheme: dark") && html.contains("@media print"));
        assertTrue(html.contains("reset x 2 (closed &lt;early&gt;)"));
        assertTrue(html.contains("&lt;none&gt; &amp; such ??\uD83D\uDE00"));
        assertFalse(html.contains("NaN") || html.contains("Infinity") || html.contains("null"));
    }

    @Test
    void aWrittenRunCanBeReadAgain() throws IOException {
        RunFile run = run();
        ReportFolder.write(run, folder);
        assertEquals(run, RunFile.read(folder.resolve("run.json")));
        String json = Files.readString(folder.resolve("run.json"));
        assertTrue(json.contains("\"requestsPerSecond\" : 500.0"), json);
    }

    @Test
    void anotherSchemaIsRefused() throws IOException {
        Path file = folder.resolve("run.json");
        Files.writeString(file, "{\"schemaVersion\": 99, \"cells\": []}");
        String message =
                assertThrows(IOException.class, () -> RunFile.read(file)).getMessage();
        assertTrue(message.contains("schema version 99"), message);
        Files.writeString(file, "nonsense");
        assertThrows(IOException.class, () -> RunFile.read(file));
    }

    @Test
    void clientsAscendWhateverTheOrderOfMeasuring() {
        List<CellResult> cells = List.of(
                cell("A", 50, null, Map.of()),
                cell("A", 8, null, Map.of()),
                cell("A", 100, null, Map.of()),
                cell("B", 1, null, Map.of()),
                cell("B", 50, null, Map.of()));
        String page = new HtmlReport(RunFile.of("x", "", "", Map.of(), Map.of(), cells)).html();
        String chart = page.substring(page.indexOf("aria-label=\"Throughput by clients\""));
        List<String> texts = chart.substring(0, chart.indexOf("</svg>"))
                .lines()
                .filter(line -> line.contains("\"middle\""))
                .map(line -> line.replaceAll("<[^>]*>", ""))
                .toList();
        assertEquals(List.of("1", "8", "50", "100"), texts);
    }

    @Test
    void eachCellHasABarWhateverItDiffersIn() {
        List<CellResult> cells = new ArrayList<>();
        for (String label : List.of("A", "B")) {
            for (String keepAlive : List.of("on", "off")) {
                CellResult cell = cell(label, 4, "1k", Map.of());
                cell.parameters().put("keepalive", keepAlive);
                cells.add(cell);
            }
        }
        assertEquals(List.of("A, ka=on", "B, ka=on", "A, ka=off", "B, ka=off"), bars(cells));
        assertEquals(List.of("A, c=4 1k ka=on", "B, c=4 1k ka=on"), bars(List.of(cells.get(0), cells.get(2))));
    }

    /** The titles of the bars of throughput. */
    private static List<String> bars(List<CellResult> cells) {
        String page = new HtmlReport(RunFile.of("x", "", "", Map.of(), Map.of(), cells)).html();
        String chart = page.substring(page.indexOf("aria-label=\"Throughput\""));
        return chart.substring(0, chart.indexOf("</svg>"))
                .lines()
                .filter(line -> line.contains("<title>"))
                .map(line -> line.replaceAll(".*<title>(.*): .*", "$1"))
                .toList();
    }

    @Test
    void aLineSaysHowManyExchangesWereCutOff() {
        CellResult whole = cell("A", 8, null, Map.of());
        assertTrue(ResultLine.of(whole, 10).endsWith(" ms | err 0 | ok"), ResultLine.of(whole, 10));
        CellResult cut = new CellResult(
                "A",
                whole.parameters(),
                0,
                "closed",
                false,
                2.0,
                new Counts(1000, 0, 8, 698, 0, 0),
                Map.of(),
                whole.times(),
                List.of(),
                whole.cpu(),
                whole.series(),
                "",
                "box-bound",
                List.of());
        assertTrue(ResultLine.of(cut, 10).endsWith(" ms | err 0 | cut 698 | box-bound"), ResultLine.of(cut, 10));
    }

    private static CellResult repetition(int number, long requests, String verdict, Map<String, FailureCount> errors) {
        CellResult cell = cell("A", 8, null, errors);
        return new CellResult(
                "A",
                cell.parameters(),
                number,
                "closed",
                false,
                2.0,
                new Counts(requests, 0, 8, 0, 0, 0),
                errors,
                cell.times(),
                List.of(),
                cell.cpu(),
                cell.series(),
                "",
                verdict,
                List.of());
    }

    @Test
    void filesOfAFewBytesAreCountedByRequests() {
        CellResult cell = cell("A", 8, "20-bytes", Map.of());
        CellResult small = with(cell, new Counts(1_000_000, 20_000_000, 8, 0, 0, 0), cell.cpu());
        CellResult large = with(cell, new Counts(1000, 1_000_000_000, 8, 0, 0, 0), cell.cpu());
        String line = ResultLine.of(small, 1);
        assertTrue(line.contains(" | srv    0.50 us/req "), line);
        assertTrue(ResultLine.of(large, 1).contains(" | srv     500 ms/GB "), ResultLine.of(large, 1));
        String page = new HtmlReport(RunFile.of("x", "", "", Map.of(), Map.of(), List.of(small))).html();
        assertFalse(page.contains("ms per GB") || page.contains("25,000"), page);
    }

    private static CellResult with(CellResult cell, Counts counts, CpuUse cpu) {
        return new CellResult(
                cell.label(),
                cell.parameters(),
                cell.repetition(),
                cell.model(),
                cell.countsBytes(),
                2.0,
                counts,
                Map.of(),
                cell.times(),
                List.of(),
                cpu,
                cell.series(),
                "",
                "ok",
                List.of());
    }

    @Test
    void theOtherServersOfAWindowAreAPartOfTheBar() {
        CellResult alone = cell("A", 8, null, Map.of());
        CpuUse use = new CpuUse(0.5, 0.4, 0.1, 2.0, 0.0, 0.2, 10L, 1000L, false, 1.0);
        String table = CellTables.cpu(List.of(with(alone, alone.counts(), use)));
        String column = "<th scope=\"col\">other servers</th>";
        assertTrue(table.contains("<th scope=\"col\">server</th>" + column), table);
        assertTrue(table.contains("</td><td>0.25</td><td>0.50</td><td>0.20</td>"), table);
        String quarter = "<rect x=\"20.0\" y=\"0.0\" width=\"40.0\" height=\"12.0\" class=\"p1\">";
        assertTrue(table.contains(quarter + "<title>other servers 1.00 s</title>"), table);
        assertFalse(CellTables.cpu(List.of(alone)).contains(column));
    }

    @Test
    void repetitionsWithoutAnswersHaveNoSpread() {
        List<CellResult> none = List.of(repetition(0, 0, "ok", Map.of()), repetition(1, 0, "ok", Map.of()));
        String line = ResultLine.of(Aggregate.of(none).get(0), 1);
        assertTrue(line.contains(" |        0 req/s | srv       - us/req "), line);
        String page = new HtmlReport(RunFile.of("x", "", "", Map.of(), Map.of(), none)).html();
        assertFalse(page.contains("NaN"), page);
    }

    @Test
    void ratiosComeFirst() {
        List<CellResult> cells = List.of(cell("B", 1, null, Map.of()), cell("A", 1, null, Map.of()));
        String page = new HtmlReport(RunFile.of("x", "", "", Map.of(), Map.of("control", "A"), cells)).html();
        int table = page.indexOf("<h2>Ratios B / A</h2>");
        assertTrue(table > 0 && table < page.indexOf("<h2>Requests</h2>"), page);
        assertEquals(table, page.indexOf("<h2>"), "nothing before it");
        assertTrue(page.contains("<th scope=\"row\">c=1 GET</th><td>1.00</td><td>1.00</td><td>1.00</td>"), page);
        assertFalse(new HtmlReport(RunFile.of("x", "", "", Map.of(), Map.of(), cells.subList(0, 1)))
                .html()
                .contains("<h2>Ratios"));
    }

    @Test
    void moreSeriesThanColoursAreNamedNotDrawn() {
        List<CellResult> cells = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            cells.add(cell("server" + i, 1, null, Map.of()));
            cells.add(cell("server" + i, 8, null, Map.of()));
        }
        String page = new HtmlReport(RunFile.of("x", "", "", Map.of(), Map.of(), cells)).html();
        String chart = page.substring(page.indexOf("aria-label=\"Throughput by clients\""));
        String figure = chart.substring(0, chart.indexOf("</figure>"));
        assertEquals(6, figure.split("<polyline ", -1).length - 1);
        assertTrue(figure.contains("cannot be told apart: server6, server7, server8<"), figure);
    }

    @Test
    void theMeanIsThatOfTheSoundRepetitions() {
        CellResult stopped = repetition(2, 0, "invalid: stopped early", Map.of());
        CellResult wrong = repetition(3, 50, "errors", Map.of("reset", new FailureCount(2, "x")));
        List<CellResult> cells =
                List.of(repetition(0, 1000, "ok", Map.of()), repetition(1, 1000, "ok", Map.of()), stopped, wrong);
        String line = ResultLine.of(Aggregate.of(cells).get(0), 1);
        assertTrue(line.contains(" 500 req/s \u00b10.0% | "), line);
        assertTrue(line.endsWith(" | err 2 | ok / invalid: stopped early / errors"), line);
        String table = CellTables.results(Aggregate.of(cells));
        assertTrue(table.contains("<td>closed</td><td>4</td><td>2.00</td><td>1,000</td><td>500</td><td>0</td>"), table);
        String none = ResultLine.of(Aggregate.of(List.of(stopped, wrong)).get(0), 1);
        assertTrue(none.contains(" 12.5 req/s "), "where none is sound, of all: " + none);
    }

    @Test
    void theMaximumIsThatOfAllRepetitions() {
        CellResult cell = repetition(0, 1000, "ok", Map.of());
        Percentiles times = new Percentiles(1000, 2_000, 1_000.0, 3_000.0, 4_000.0, 5_000.0, 9_000_000);
        CellResult slow = new CellResult(
                "A",
                cell.parameters(),
                1,
                "closed",
                false,
                2.0,
                cell.counts(),
                Map.of(),
                new Times(times, null, times, times, times, null),
                List.of(),
                cell.cpu(),
                cell.series(),
                "",
                "ok",
                List.of());
        String table = CellTables.results(Aggregate.of(List.of(cell, slow)));
        assertTrue(table.contains("<td>2.50</td><td>9,000</td>"), "a mean and a maximum: " + table);
    }

    @Test
    void cutOffExchangesCountInAllRepetitions() {
        CellResult whole = repetition(0, 1000, "ok", Map.of());
        CellResult cut = new CellResult(
                "A",
                whole.parameters(),
                1,
                "closed",
                false,
                2.0,
                new Counts(1000, 0, 8, 7, 0, 0),
                Map.of(),
                whole.times(),
                List.of(),
                whole.cpu(),
                whole.series(),
                "",
                "invalid: 7 requests unanswered",
                List.of());
        String table = CellTables.results(Aggregate.of(List.of(whole, cut)));
        assertTrue(table.contains("<td>3.50</td><td>0</td><td>ok / invalid: 7 requests unanswered</td>"), table);
    }

    @Test
    void theTableHasVariantsSideBySide() {
        List<CellResult> cells =
                List.of(cell("A", 1, null, Map.of()), cell("B", 1, null, Map.of()), cell("A", 4, "1k", Map.of()));
        List<String> lines =
                ComparisonTable.of(cells, List.of("A", "B")).lines().toList();
        assertEquals(6, lines.size());
        assertTrue(lines.get(0).matches("UUID requests +A +B +A / B"), lines.get(0));
        assertTrue(lines.get(1).matches(" +req/s +us/req +req/s +us/req +req/s +CPU"), lines.get(1));
        assertTrue(lines.get(2).matches("c=1 GET +500 +500 +500 +500 +1.00 +1.00"), lines.get(2));
        assertTrue(lines.get(4).endsWith(" us/req     MB/s    CPU"), "small files: " + lines.get(4));
        assertTrue(lines.get(5).matches("c=4 1k +2.50 +500 +- +- +- +-"), lines.get(5));
    }
}
