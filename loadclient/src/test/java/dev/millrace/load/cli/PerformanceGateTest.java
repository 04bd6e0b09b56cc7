package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

/** The comparison of {@code docs/bench/gate.sh} fails where nothing is sound, and not where the interval is wide. */
class PerformanceGateTest {

    private static final int REPETITIONS = 4;

    @TempDir
    private Path folder;

    private static List<CellResult> cells(String label, double... cpuSeconds) {
        List<CellResult> cells = new ArrayList<>();
        for (int i = 0; i < REPETITIONS; i++) {
            cells.add(CompareTest.cell(label, i, 1000, cpuSeconds[i % cpuSeconds.length]));
        }
        return cells;
    }

    private int gate(List<CellResult> before, List<CellResult> after) throws IOException {
        List<CellResult> all = new ArrayList<>(before);
        all.addAll(after);
        ReportFolder.write(RunFile.of("gate", "", "", Map.of(), Map.of(), all), folder);
        return Cli.run("compare", "--metric=cpu", "--threshold=10", folder + "#before", folder + "#after")
                .code();
    }

    @Test
    void anIntervalThatReachesAcrossTheBoundPasses() throws IOException {
        assertEquals(ExitCode.GOOD, gate(cells("before", 1), cells("after", 1.05, 1.25)));
        assertEquals(ExitCode.ERRORS, gate(cells("before", 1), cells("after", 1.24, 1.25)));
    }

    @Test
    void withoutASoundRepetitionItFails() throws IOException {
        List<CellResult> before = cells("before", 1);
        List<CellResult> after = cells("after", 1);
        List<CellResult> disturbed = after.stream().map(CompareTest::invalid).toList();
        assertEquals(ExitCode.INVALID, gate(before, disturbed));
        assertEquals(
                ExitCode.INVALID, gate(before.stream().map(CompareTest::invalid).toList(), after));
        assertEquals(
                ExitCode.ERRORS,
                gate(
                        before.stream().map(CompareTest::unknownCpu).toList(),
                        after.stream().map(CompareTest::unknownCpu).toList()));
    }

    /** Each repetition has an invalid window on one side, so that no pair is left. */
    @Test
    void soundRepetitionsWithoutASoundPartnerFail() throws IOException {
        List<CellResult> before = cells("before", 1);
        List<CellResult> after = cells("after", 1);
        for (int i = 0; i < REPETITIONS; i++) {
            List<CellResult> one = i % 2 == 0 ? before : after;
            one.set(i, CompareTest.invalid(one.get(i)));
        }
        assertEquals(ExitCode.INVALID, gate(before, after));
    }
}
