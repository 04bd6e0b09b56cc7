package dev.millrace.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of performance is what the program makes of the data. */
class PerformancePageTest {
    private static final Path DOCS = Repository.ROOT.resolve("docs");
    private static final Path DATA = DOCS.resolve("results/performance");
    private static final String KEYS = "run=connectors-65558e6-amd-25 workload=hello-32 measure=cpu_ratio";

    private static PerformancePage maker() throws IOException {
        return new PerformancePage(new Results(DATA));
    }

    private static List<String> pages() {
        return PerformancePage.PAGES;
    }

    private static String read(String page) throws IOException {
        return Files.readString(Repository.ROOT.resolve(page));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void aPageIsWhatTheProgramMakes(String page) throws IOException {
        assertEquals(maker().page(read(page)), read(page), "make it again: docs/results/README.md says how");
    }

    @Test
    void theChartsAreWhatTheProgramMakes() throws IOException {
        PerformancePage maker = maker();
        for (String page : pages()) {
            maker.page(read(page));
        }
        Map<String, String> there = new TreeMap<>();
        try (Stream<Path> files = Files.list(DOCS.resolve("charts"))) {
            for (Path file : files.toList()) {
                there.put("charts/" + file.getFileName(), Files.readString(file));
            }
        }
        assertEquals(maker.charts(), there);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyCommentOfAPageIsABlock(String page) throws IOException {
        long comments = Pattern.compile("<!-- (?!end -->)")
                .matcher(read(page))
                .results()
                .count();
        assertEquals(comments, Block.IN_PAGE.matcher(read(page)).results().count());
        assertTrue(comments >= 3, comments + " blocks");
    }

    @Test
    void aFigureThatWasChangedByHandIsSeen() throws IOException {
        String page = read("docs/performance.md");
        String changed = page.replaceFirst("\\| AMD \\| [\\d.]+\u00a0us \\|", "| AMD | 12.3\u00a0us |");
        assertFalse(changed.equals(page));
        assertEquals(page, maker().page(changed));
    }

    /** {@link FigureCellsTest} looks for cells with two figures. */
    @ParameterizedTest
    @MethodSource("pages")
    void aTableHasSixColumns(String page) throws IOException {
        read(page)
                .lines()
                .filter(line -> line.startsWith("|"))
                .forEach(line -> assertTrue(line.split("\\|", -1).length - 2 <= 6, line));
    }

    private static String table(String lines) throws IOException {
        return maker().page("<!-- table\n" + lines + "-->\n<!-- end -->\n");
    }

    @Test
    void aTableHasTheFiguresThatItsKeysName() throws IOException {
        String lines = "heading: server\nall: " + KEYS
                + "\ncolumn: ratio\ncolumn: CPU | measure=cpu_us_per_request show=unit\n"
                + "row: Jetty | server=jetty\nrow: NIO | server=nio-selector\n";
        assertEquals(
                "<!-- table\n" + lines
                        + "-->\n\n| server | ratio | CPU |\n|---|---:|---:|\n| Jetty | 1.00 | 27.4\u00a0us |\n"
                        + "| NIO | 0.38 | 10.4\u00a0us |\n\n<!-- end -->\n",
                table(lines));
    }

    @Test
    void aFigureMayBeAMultipleOfAnotherServers() throws IOException {
        String lines = "heading: server\nall: " + KEYS
                + "\ncolumn: of NIO | of=nio-selector measure=cpu_us_per_request\nrow: Jetty | server=jetty\n";
        assertTrue(table(lines).contains("\n| Jetty | 2.63 |\n"), table(lines));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "row: x | server=jetty of=none",
                "row: x | server=jetty of=undertow",
                "row: x | server=none",
                "row: x | server=undertow",
                "row: x",
                "row: x | server=jetty run=none",
                "row: x | server=jetty run=",
                "no colon",
                "row: x | server"
            })
    void aTableThatAsksForWhatIsNotThereIsRefused(String row) {
        String lines = "all: " + KEYS + "\ncolumn: ratio\n" + row + "\n";
        assertThrows(IllegalArgumentException.class, () -> table(lines));
    }

    @Test
    void aBlockWithoutAnEndIsRefused() {
        String without =
                "<!-- goals\ngoal: x | workload=hello-1700 server=nio-adaptive measure=cpu_ratio most=0.80\n-->\n";
        assertThrows(
                IllegalArgumentException.class, () -> maker().page(without + "text\n" + without + "<!-- end -->\n"));
    }

    @Test
    void goalsCountTheRunsThatReachThem() throws IOException {
        String most = maker().page(
                        "<!-- goals\ngoal: x | workload=hello-1700 server=nio-adaptive measure=cpu_ratio most=0.80\n-->\n<!-- end -->\n");
        assertTrue(most.contains("| x | at most 0.80 | **0.81** | 1 of 4 |"), most);
        String least = maker().page(
                        "<!-- goals\ngoal: x | workload=hello-1700 server=nio-adaptive measure=cpu_ratio least=0.80\n-->\n<!-- end -->\n");
        assertTrue(least.contains("| x | at least 0.80 | 0.81 | 3 of 4 |"), least);
        String of = maker().page(
                        "<!-- goals\ngoal: x | workload=hello-10000 server=nio-selector measure=cpu_ratio of=undertow most=0.48\n-->\n<!-- end -->\n");
        assertTrue(of.contains("| x | at most 0.48 of Undertow | 0.48 | 2 of 3 |"), of);
    }

    @Test
    void aChartSaysInWordsWhatItShows() throws IOException {
        PerformancePage maker = maker();
        String page = maker.page(
                "<!-- chart it\ntitle: CPU\nabout: less & better\nall: " + KEYS
                        + "\nmost: 0.8\nbar: Jetty | server=jetty kind=theirs\ngroup: ours\nbar: NIO | server=nio-selector\n-->\n<!-- end -->\n");
        assertTrue(
                page.contains(
                        "<img src=\"charts/it.svg\" width=\"420\" alt=\"CPU. less &amp; better Jetty: 1.00. ours: NIO: 0.38.\">"),
                page);
        String svg = maker.charts().get("charts/it.svg");
        assertTrue(svg.contains("prefers-color-scheme: dark"), svg);
        assertEquals(1, svg.split("<line class=\"cut\"", -1).length - 1, "the bar beyond the most is cut");
    }
}
