package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.report.ReportFolder;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What differs between two runs may be their settings, and not their servers. */
class ComparePlansTest {

    private static final Map<String, String> MACHINE =
            Map.of("cpu model", "one", "cores", "2", "load average before", "1");
    private static final Map<String, String> PLAN =
            Map.of("warm-up", "2s", "window", "10s", "seed", "1", "repetitions", "1 x");

    @TempDir
    private Path folder;

    private String run(String name, Map<String, String> environment, Map<String, String> plan) throws IOException {
        return run(name, environment, plan, List.of(CompareTest.cell("", 0, 1000, 1)));
    }

    private String run(String name, Map<String, String> environment, Map<String, String> plan, List<CellResult> cells)
            throws IOException {
        Path file = folder.resolve(name);
        ReportFolder.write(RunFile.of(name, "", "", environment, plan, cells), file);
        return file.toString();
    }

    @Test
    void otherSettingsAreTold() throws IOException {
        String a = run("a", MACHINE, PLAN);
        String b = run("b", MACHINE, Map.of("warm-up", "0s", "window", "10s", "verified", "none"));
        Cli cli = Cli.run("compare", a, b);
        assertEquals(ExitCode.GOOD, cli.code());
        assertEquals(
                "note: the runs differ in more than their servers: verified (-, none), warm-up (2s, 0s)",
                cli.err().strip());
    }

    @Test
    void anotherMachineIsTold() throws IOException {
        String a = run("a", MACHINE, PLAN);
        String b = run("b", Map.of("cpu model", "other", "cores", "4", "load average before", "3"), PLAN);
        assertEquals(
                "note: the runs differ in more than their servers: cores (2, 4), cpu model (one, other)",
                Cli.run("compare", a, b).err().strip());
    }

    @Test
    void whatMakesNoDifferenceIsNot() throws IOException {
        String a = run("a", MACHINE, PLAN);
        String b = run(
                "b",
                Map.of("cpu model", "one", "cores", "2", "load average before", "3"),
                Map.of("warm-up", "2s", "window", "10s", "seed", "2", "repetitions", "5 x", RunFile.CONTROL, "x"));
        assertEquals("", Cli.run("compare", a, b).err());
    }

    @Test
    void cellsThatOnlyOneRunHasAreTold() throws IOException {
        CellResult cell = CompareTest.cell("", 0, 1000, 1);
        CellResult other = cell.withParameters(Map.of("clients", "99"));
        String a = run("a", MACHINE, PLAN, List.of(cell));
        Map<String, String> ended = new HashMap<>(PLAN);
        ended.put(RunFile.ENDED_EARLY, "stopped early");
        assertEquals(
                "note: not compared, because A has no such cell: c=99",
                Cli.run("compare", a, run("b", MACHINE, PLAN, List.of(cell, other)))
                        .err()
                        .strip());
        assertEquals(
                "note: the runs differ in more than their servers: ended early (stopped early, -)",
                Cli.run("compare", run("c", MACHINE, ended), a).err().strip());
    }

    @Test
    void aVariantThatOnlyOneRunHasIsTold() throws IOException {
        String a = run("a", MACHINE, PLAN, List.of(CompareTest.cell("x", 0, 1000, 1)));
        String b =
                run("b", MACHINE, PLAN, List.of(CompareTest.cell("x", 0, 1000, 1), CompareTest.cell("y", 0, 1000, 1)));
        String err = Cli.run("compare", a, b).err();
        assertTrue(err.startsWith("note: not compared, because A has no such cell: y "), err);
        assertEquals("", Cli.run("compare", a, b + "#y").err(), "the user has chosen");
    }
}
