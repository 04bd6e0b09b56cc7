package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.report.ReportFolder;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel counts CPU time in ticks of 10 ms, and which of two short windows shows one is chance. */
class FewTicksTest {

    private static final String TOO_FEW =
            " | too little server CPU for the kernel's ticks of 10 ms, take longer windows\n";

    @TempDir
    private Path folder;

    /** A run whose repetitions have these CPU times of the server. */
    private String run(String name, double... seconds) throws IOException {
        List<CellResult> cells = new ArrayList<>();
        for (int i = 0; i < seconds.length; i++) {
            cells.add(CompareTest.cell("", i, 1000, seconds[i]));
        }
        Path file = folder.resolve(name);
        ReportFolder.write(RunFile.of(name, "", "", Map.of(), Map.of(), cells), file);
        return file.toString();
    }

    @Test
    void aWindowWithoutATickIsNotWorse() throws IOException {
        Cli one = Cli.run("compare", run("a", 0.01), run("b", 0));
        assertEquals(ExitCode.GOOD, one.code(), one.out());
        Cli two = Cli.run("compare", run("a", 0.01, 0), run("b", 0, 0.01));
        assertEquals(ExitCode.GOOD, two.code(), two.out());
        assertTrue(two.out().endsWith("verdict: no difference in 1 of 1\n"), two.out());
    }

    @Test
    void whereCpuAloneDecidesSuchWindowsAreTooShort() throws IOException {
        for (double b : new double[] {0, 0.01}) {
            Cli cli = Cli.run("compare", "--metric=cpu", run("a", 0.01 - b), run("b", b));
            assertEquals(ExitCode.INVALID, cli.code(), cli.out());
            assertTrue(cli.out().contains(TOO_FEW), cli.out());
        }
        assertEquals(
                ExitCode.GOOD,
                Cli.run("compare", "--metric=cpu", run("a", 0.01), run("b", 0.01))
                        .code());
    }

    /** It may be that of a process which is not the server. */
    @Test
    void noneBesideASecondIsMissing() throws IOException {
        Cli cli = Cli.run("compare", run("a", 1), run("b", 0));
        assertEquals(ExitCode.ERRORS, cli.code());
        assertTrue(cli.out().contains(" | B: no server CPU to compare with A's\n"), cli.out());
    }
}
