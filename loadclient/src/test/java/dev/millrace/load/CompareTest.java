package dev.millrace.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Counts;
import dev.millrace.load.run.CpuUse;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Series;
import dev.millrace.load.run.Times;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ratios are formed repetition by repetition, and decide only where their interval does. */
class CompareTest {

    @TempDir
    private Path folder;

    private static CellResult cell(String label, int repetition, long requests, double serverSeconds) {
        Percentiles times = new Percentiles(10, 2, 1, 3, 4, 5, 6);
        return new CellResult(label, Map.of("clients", "8"), repetition, "closed", false, 10.0,
                new Counts(requests, 0, 8, 0), Map.of(), new Times(times, null, times, times, times, null), List.of(),
                new CpuUse(serverSeconds, 1.0, 0.0, 1.0, 0.0, 0.0, null, null),
                new Series(List.of(), List.of(), List.of()), "", "ok", List.of());
    }

    private String run(String name, List<CellResult> cells) throws IOException {
        Path file = folder.resolve(name);
        RunFile.of(name, "", "", Map.of(), Map.of(), cells).write(file);
        return file.toString();
    }

    /** Requests per repetition; the server's CPU time per request is the same throughout. */
    private String run(String name, long... requests) throws IOException {
        List<CellResult> cells = new ArrayList<>();
        for (int i = 0; i < requests.length; i++) {
            cells.add(cell("", i, requests[i], requests[i] / 1000.0));
        }
        return run(name, cells);
    }

    @Test
    void aDriftThatBothSharedIsNoDifference() throws IOException {
        Cli cli = Cli.run("compare", run("a", 1000, 2000, 4000), run("b", 1010, 2020, 4040));
        assertEquals(Main.GOOD, cli.code(), cli.err());
        assertTrue(cli.out().contains("| throughput 1.010 [1.010, 1.010] of 3\n"), cli.out());
        assertTrue(cli.out().contains("| server CPU 1.000 [1.000, 1.000] of 3\n"), cli.out());
    }

    @Test
    void worseBeyondDoubtIsExitOne() throws IOException {
        Cli cli = Cli.run("compare", run("a", 1000, 2000, 4000), run("b", 900, 1800, 3600));
        assertEquals(Main.ERRORS, cli.code());
        assertTrue(cli.out().contains("throughput 0.900 [0.900, 0.900] of 3 | worse"), cli.out());
        assertEquals(Main.GOOD, Cli.run("compare", "--threshold=15%", folder.resolve("a").toString(),
                folder.resolve("b").toString()).code());
        assertEquals(Main.GOOD, Cli.run("compare", "--metric=cpu", folder.resolve("a").toString(),
                folder.resolve("b").toString()).code());
    }

    @Test
    void worseWithinDoubtIsNot() throws IOException {
        Cli cli = Cli.run("compare", run("a", 1000, 1000, 1000), run("b", 500, 1100, 1100));
        assertEquals(Main.GOOD, cli.code(), cli.out());
    }

    @Test
    void moreCpuIsWorse() throws IOException {
        String a = run("a", List.of(cell("", 0, 1000, 1), cell("", 1, 1000, 1)));
        String b = run("b", List.of(cell("", 0, 1000, 1.2), cell("", 1, 1000, 1.2)));
        Cli cli = Cli.run("compare", a, b);
        assertEquals(Main.ERRORS, cli.code());
        assertTrue(cli.out().contains("server CPU 1.200 [1.200, 1.200] of 2 | worse"), cli.out());
    }

    @Test
    void variantsOfOneRunAndItsNoise() throws IOException {
        String run = run("all", List.of(cell("A", 0, 1000, 1), cell("A2", 0, 1020, 1), cell("B", 0, 1500, 1)));
        Cli cli = Cli.run("compare", "--noise", run + "#A2", run + "#A", run + "#B");
        assertEquals(Main.GOOD, cli.code(), cli.err());
        assertTrue(cli.out().contains("throughput 1.500 [one run, no interval] | noise 1.020 [one run, no interval]"),
                cli.out());
    }

    @Test
    void nothingInCommonIsOneLine() throws IOException {
        Cli cli = Cli.run("compare", run("a", 1), run("b", List.of()));
        assertEquals(Main.ERRORS, cli.code());
        assertEquals("loadclient: the two runs have no valid cell in common", cli.err().strip());
        assertTrue(Cli.run("compare", "none.json",
                "none.json").err().startsWith("loadclient: cannot read none.json: "));
        assertEquals("loadclient: no variant X in " + folder.resolve("a"),
                Cli.run("compare", folder.resolve("a") + "#X", folder.resolve("a").toString()).err().strip());
    }

    @Test
    void aReportIsMadeAgainWithoutLoad() throws Exception {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli.run("uuid", "-c=1", "-n=50", "--warmup=0s", "--label=one", "-o", folder.toString(),
                    server.url("/generate-uuid"));
        }
        Path again = folder.resolve("again");
        Cli cli = Cli.run("report", "-o", again.toString(), folder.toString());
        assertEquals(Main.GOOD, cli.code(), cli.err());
        assertEquals(again.resolve("report.html") + "\n", cli.out());
        for (String name : List.of("report.html", "run.json", "cells.csv", "latency.hlog",
                "hgrm/one_c=1_GET_ka=on_RANDOM_n=1-0.hgrm")) {
            assertEquals(Files.readString(folder.resolve(name)), Files.readString(again.resolve(name)), name);
        }
        assertTrue(Files.readString(again.resolve("report.html")).contains("Latency by percentile"));
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(again.resolve("report.html").toFile());
        List<String> csv = Files.readAllLines(again.resolve("cells.csv"));
        assertEquals(2, csv.size());
        assertTrue(csv.get(0).startsWith("label,clients,method,keepalive,uuid,count,repetition,model,window_s,"));
        assertTrue(csv.get(1).startsWith("one,1,GET,on,RANDOM,1,0,closed,"), csv.get(1));
        assertTrue(Files.readString(again.resolve("latency.hlog")).contains("Tag=one_c=1_GET_ka=on_RANDOM_n=1-0,"));
        assertTrue(Files.readString(again.resolve("hgrm/one_c=1_GET_ka=on_RANDOM_n=1-0.hgrm")).contains("TotalCount"));
    }
}
