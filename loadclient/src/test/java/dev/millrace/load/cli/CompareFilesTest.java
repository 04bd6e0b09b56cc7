package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.ReportFolder;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code compare} writes for programs and for pull requests. */
class CompareFilesTest {

    @TempDir
    private Path folder;

    private String measured(String name, int repeat) throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Path out = folder.resolve(name);
            assertEquals(
                    ExitCode.GOOD,
                    Cli.run(
                                    "uuid",
                                    "-c=1",
                                    "-n=50",
                                    "--warmup=0s",
                                    "-q",
                                    "--repeat=" + repeat,
                                    "--label=x|y",
                                    "-o",
                                    out.toString(),
                                    server.url("/generate-uuid"))
                            .code());
            return out.toString();
        }
    }

    /** A run with these requests per repetition, on a server whose CPU time is not known. */
    private String made(String name, long... requests) throws IOException {
        List<CellResult> cells = new ArrayList<>();
        for (int i = 0; i < requests.length; i++) {
            cells.add(CompareTest.unknownCpu(CompareTest.cell("", i, requests[i], 1)));
        }
        Path file = folder.resolve(name);
        ReportFolder.write(RunFile.of(name, "", "", Map.of(), Map.of(), cells), file);
        return file.toString();
    }

    private Cli compare(String metric, String a, String b) {
        return Cli.run(
                "compare",
                "--metric=" + metric,
                "--threshold=100000",
                "--json=" + folder.resolve("c.json"),
                "--markdown=" + folder.resolve("c.md"),
                a,
                b);
    }

    @Test
    void ratiosAreNumbersAndATable() throws IOException {
        String a = measured("a", 3);
        Cli cli = compare("p50", a, measured("b", 3));
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        JsonNode json = new ObjectMapper().readTree(folder.resolve("c.json").toFile());
        assertEquals(a, json.get("a").asText());
        JsonNode cell = json.get("cells").get(0);
        assertEquals("1", cell.get("parameters").get("clients").asText());
        assertTrue(cell.get("notComparable").isNull());
        JsonNode throughput = cell.get("figures").get(0);
        assertEquals("throughput", throughput.get("figure").asText());
        assertEquals(3, throughput.get("repetitions").asInt());
        assertTrue(throughput.get("verdict").isNull(), "it does not decide");
        assertTrue(throughput.get("low").asDouble() <= throughput.get("ratio").asDouble(), json.toString());
        List<String> page = Files.readAllLines(folder.resolve("c.md"));
        assertTrue(page.get(0).startsWith("### Load: "), page.toString());
        String p50 = page.stream()
                .filter(line -> line.contains("| p50 |"))
                .findFirst()
                .orElseThrow();
        assertTrue(p50.matches("\\| c=1 GET .* \\| p50 \\| [0-9.]+ \\| .* \\| 3 \\| .+ \\|"), p50);
    }

    @Test
    void withOneRepetitionThereIsNoInterval() throws IOException {
        String a = measured("a", 1);
        assertEquals(ExitCode.GOOD, compare("p50", a, a).code());
        JsonNode figure =
                new ObjectMapper().readTree(folder.resolve("c.json").toFile()).at("/cells/0/figures/0");
        assertEquals(1.0, figure.get("ratio").asDouble());
        assertTrue(figure.get("low").isNull() && figure.get("high").isNull(), figure.toString());
        assertTrue(Files.readString(folder.resolve("c.md")).contains("| 1.000 | none | 1 |"));
    }

    @Test
    void anIntervalThatSaysNothingIsNotPrinted() throws IOException {
        compare("throughput", made("a", 1000, 1000), made("b", 3000, 300));
        String page = Files.readString(folder.resolve("c.md"));
        assertTrue(page.contains("| throughput | 0.949 | [too wide] | 2 | undecided |\n"), page);
    }

    /** Other processes may disturb one window of many, and that says nothing against the server. */
    @Test
    void invalidRepetitionsAreLeftOutIfOthersDecide() throws IOException {
        Path a = folder.resolve("a");
        Path b = folder.resolve("b");
        CellResult first = CompareTest.cell("", 0, 1000, 1);
        CellResult second = CompareTest.cell("", 1, 1000, 1);
        CellResult third = CompareTest.cell("", 2, 1000, 1);
        write(a, first, second, third);
        write(b, CompareTest.invalid(CompareTest.cell("", 0, 10, 1)), second, third);
        Cli cli = Cli.run("compare", a.toString(), b.toString());
        assertEquals(ExitCode.GOOD, cli.code(), cli.out());
        assertTrue(cli.out().contains(" | left out: B, 1 of 3: invalid: stopped early\n"), cli.out());
        assertTrue(cli.out().endsWith("verdict: no difference in 1 of 1\n"), cli.out());
        write(b, CompareTest.invalid(first), CompareTest.invalid(second), third);
        Cli one = Cli.run("compare", a.toString(), b.toString());
        assertEquals(ExitCode.INVALID, one.code(), one.out());
    }

    private static void write(Path run, CellResult... cells) throws IOException {
        ReportFolder.write(RunFile.of("run", "", "", Map.of(), Map.of(), List.of(cells)), run);
    }

    @Test
    void aFigureThatIsMissingHasItsReason() throws IOException {
        String a = made("a", 1000);
        compare("cpu", a, a);
        JsonNode cell =
                new ObjectMapper().readTree(folder.resolve("c.json").toFile()).at("/cells/0");
        assertEquals("A: no server CPU", cell.get("notComparable").asText());
        String page = Files.readString(folder.resolve("c.md"));
        assertTrue(page.contains("| c=8 | | | | | A: no server CPU |\n"), page);
    }
}
