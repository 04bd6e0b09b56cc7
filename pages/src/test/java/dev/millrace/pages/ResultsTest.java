package dev.millrace.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The data of performance: what is kept is whole, and what contradicts itself is refused. */
class ResultsTest {
    private static final Path DATA = Repository.ROOT.resolve("docs/results/performance");
    private static final String RUNS = "run,base,conditions\na,x,\"one, \"\"quiet\"\"\"\nb,y,\n";
    private static final String NAMES =
            "kind,id,name,meaning\nworkload,w,W,\nserver,x,X,\nserver,y,Y,\nmeasure,cpu_ratio,,\nmeasure,us,us,\n";
    private static final String FIGURES =
            "run,workload,server,measure,value,least,most,note\na,w,y,cpu_ratio,0.50,0.40,0.60,\n"
                    + "a,w,x,us,1234.5,,,\na,w,y,us,7,,,once\na,w,x,cpu_ratio,,0.9,1.1,\n";

    @TempDir
    Path folder;

    private Results results(String runs, String names, String figures) throws IOException {
        Files.writeString(folder.resolve("runs.csv"), runs);
        Files.writeString(folder.resolve("names.csv"), names);
        Files.writeString(folder.resolve("figures.csv"), figures);
        return new Results(folder);
    }

    private static Map<String, String> keys(String run, String server, String measure) {
        return Map.of("run", run, "workload", "w", "server", server, "measure", measure);
    }

    @Test
    void figuresAreFoundByTheirKeys() throws IOException {
        Results results = results(RUNS, NAMES, FIGURES);
        assertEquals("one, \"quiet\"", results.runs().iterator().next().get("conditions"));
        assertEquals(
                "0.50", results.find(keys("a", "y", "cpu_ratio")).orElseThrow().shown());
        assertEquals(
                "1,234.5\u00a0us",
                results.find(keys("b,a", "y,x", "us")).orElseThrow().shownWithUnit());
        assertEquals(
                "1.00", results.find(keys("a", "x", "cpu_ratio")).orElseThrow().shown(), "the base's own");
        assertEquals(Optional.empty(), results.find(keys("b", "x", "cpu_ratio")));
        assertEquals(Optional.empty(), results.find(keys("a", "y", "us")), "a figure with a note");
    }

    @Test
    void aQuotientIsOfTwoFiguresOfOneRun() throws IOException {
        Results results = results(RUNS, NAMES, FIGURES + "b,w,y,us,100,,,\nb,w,x,us,50,,,\n");
        Map<String, String> keys = Map.of("run", "a,b", "workload", "w", "server", "y", "measure", "us", "of", "x");
        assertEquals("2.00", results.find(keys).orElseThrow().shown(), "run a has no figure of y");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c,w,x,us,1,,,\n",
                "a,v,x,us,1,,,\n",
                "a,w,z,us,1,,,\n",
                "a,w,x,ms,1,,,\n",
                "a,w,x,us,1,,,\n",
                "a,w,x,us,1,,\n",
                "b,w,x,us,\"1,234\",,,\n",
                "b,w,x,us,1,a few,,\n",
                "b,w,x,us,1,,,\"\n",
                "b,w,x,us,1,,,"
            })
    void aFigureThatCannotBeIsRefused(String figure) {
        assertThrows(IllegalArgumentException.class, () -> results(RUNS, NAMES, FIGURES + figure));
    }

    @Test
    void aNameTwiceIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> results(RUNS + "a,x,\n", NAMES, FIGURES));
        assertThrows(IllegalArgumentException.class, () -> results(RUNS, NAMES + "server,x,Z,\n", FIGURES));
    }

    @Test
    void everyRunHasFiguresAndEveryNameIsUsed() throws IOException {
        TreeSet<String> used = new TreeSet<>();
        Csv.read(DATA.resolve("figures.csv"))
                .forEach(figure -> Stream.of("run", "workload", "server", "measure")
                        .forEach(kind -> used.add(kind + " " + figure.get(kind))));
        TreeSet<String> named = new TreeSet<>();
        Csv.read(DATA.resolve("names.csv")).forEach(name -> named.add(name.get("kind") + " " + name.get("id")));
        for (Csv.Row run : Csv.read(DATA.resolve("runs.csv"))) {
            named.add("run " + run.get("run"));
            if (!run.get("base").isEmpty()) {
                used.add("server " + run.get("base"));
            }
        }
        assertEquals(named, used);
        assertTrue(named.size() >= 300, named.size() + " names");
    }

    @Test
    void runsAreInTheOrderOfTheirDates() throws IOException {
        String before = "";
        for (Csv.Row run : Csv.read(DATA.resolve("runs.csv"))) {
            String date = run.get("date");
            assertTrue((date.isEmpty() && before.isEmpty()) || date.matches("20\\d\\d-\\d\\d-\\d\\d"), run.toString());
            assertTrue(date.compareTo(before) >= 0, run + " after " + before);
            assertEquals(date.isEmpty(), run.get("commit").isEmpty(), run.toString());
            before = date;
        }
    }
}
