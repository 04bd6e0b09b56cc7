package dev.millrace.load.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.report.Comparison.Metric;
import dev.millrace.load.report.Outcomes.Outcome;
import dev.millrace.load.run.CellResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The line that says all verdicts. */
class OutcomesTest {

    /** Ctrl-C may come before the second server was measured. */
    @Test
    void aRunThatEndsEarlyMayHaveNone() {
        assertEquals("verdict: nothing was compared", Outcomes.all(List.of()).summary());
    }

    /**
     * The verdict after ten rounds.
     *
     * @param swing  by how much B's rounds differ from each other
     * @param errors rounds in which B has a wrong answer
     */
    private static Outcomes.Line after(int swing, int errors) {
        List<CellResult> a = new ArrayList<>();
        List<CellResult> b = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            a.add(ExperimentRuns.cell("A", round, 1000, 1, false));
            b.add(ExperimentRuns.cell("B", round, 1000 + (round % 2 == 0 ? swing : 0), 1, round < errors));
        }
        Comparison comparison = Comparison.of(a, b, 1, true);
        return Outcomes.of(comparison, List.of(Metric.THROUGHPUT), 5).lines().get(0);
    }

    private static CellResult invalid(String server, int round, String reason) {
        CellResult cell = ExperimentRuns.cell(server, round, 1000, 1, false);
        return new CellResult(
                cell.label(),
                cell.parameters(),
                round,
                cell.model(),
                cell.countsBytes(),
                cell.windowSeconds(),
                cell.counts(),
                cell.errors(),
                cell.times(),
                cell.sizes(),
                cell.cpu(),
                cell.series(),
                "",
                "invalid: " + reason,
                List.of());
    }

    /** The repetitions that count of ten rounds, and of a further one of B that is invalid. */
    private static int counted(CellResult last, int sound) {
        List<CellResult> a = new ArrayList<>();
        List<CellResult> b = new ArrayList<>(List.of(last));
        for (int round = 0; round < 10; round++) {
            a.add(ExperimentRuns.cell("A", round, 1000, 1, false));
            b.add(round < sound ? ExperimentRuns.cell("B", round, 1000, 1, false) : invalid("B", round, "steal (9 %)"));
        }
        Comparison comparison = Comparison.of(a, b, 1, true);
        return Outcomes.of(comparison, List.of(Metric.THROUGHPUT), 5).counted(b).size();
    }

    @Test
    void anInvalidRepetitionIsLeftOutIfOthersDecide() {
        assertEquals(10, counted(invalid("B", 10, "steal (9 %)"), 10));
        assertEquals(9, counted(invalid("B", 10, "steal (9 %)"), 9));
        assertEquals(11, counted(invalid("B", 10, "stopped early"), 10), "the run was to go on");
        assertEquals(11, counted(invalid("B", 10, "steal (9 %)"), 1), "one pair has no interval");
        assertEquals(11, counted(invalid("B", 10, "steal (9 %)"), 0), "nothing is left");
        List<CellResult> alone = List.of(invalid("B", 0, "steal (9 %)"));
        assertEquals(alone, new Outcomes(List.of()).counted(alone), "without a comparison");
    }

    @Test
    void aCellIsOpenWhileRoundsMayDecide() {
        assertEquals(Outcome.NO_DIFFERENCE, after(1, 0).outcome());
        assertFalse(after(1, 0).open());
        assertTrue(after(900, 0).open());
        Outcomes.Line noisy = after(900, 1);
        assertEquals(Outcome.UNDECIDED, noisy.outcome());
        assertTrue(noisy.open(), "it may become worse");
        Outcomes.Line wrong = after(1, 1);
        assertEquals(Outcome.UNDECIDED, wrong.outcome());
        assertEquals("B, 1 of 10: errors: reset x 1 (x)", wrong.reason());
        assertFalse(wrong.open(), "the other rounds have decided, and the error stays");
        assertFalse(after(1, 10).open(), "no round is left that could");
    }
}
