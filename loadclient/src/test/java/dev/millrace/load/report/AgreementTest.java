package dev.millrace.load.report;

import static dev.millrace.load.report.ExperimentRuns.ROWS;
import static dev.millrace.load.report.ExperimentRuns.SHORT;
import static dev.millrace.load.report.ExperimentRuns.cell;
import static dev.millrace.load.report.ExperimentRuns.experiment;
import static dev.millrace.load.report.ExperimentRuns.run;
import static dev.millrace.load.report.ExperimentRuns.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.experiment.Lengths;
import dev.millrace.load.run.CellResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two runs of one experiment agree where the intervals of their ratios meet. */
class AgreementTest {
    @Test
    void twoRunsAgreeWhereTheirIntervalsMeet() {
        Agreement near = Agreement.of(run("test", 1.4, 1.5, 1.6), run("test", 1.5, 1.6, 1.7));
        assertTrue(near.complete(), near.text());
        assertTrue(near.text().endsWith("5 of 5 agree"), near.text());
        Agreement apart = Agreement.of(run("test", 1.4, 1.5, 1.6), run("test", 2.9, 3.0, 3.1));
        assertEquals(false, apart.complete());
        assertTrue(
                apart.text().lines().anyMatch(line -> line.matches("text of b +1\\.50 \\[1\\..* APART")), apart.text());
        assertTrue(apart.text().endsWith("0 of 5 agree"), apart.text());
    }

    /** Where there may be further rounds, they are wider. */
    @Test
    void intervalsAreThoseOfThePage() {
        RunFile planned = run("test", 1.4, 1.5, 1.6);
        Lengths further = new Lengths(3, 1, 0, 0, 0, 1, 1, 0, 9);
        RunFile full =
                run(Map.of(RunFile.FORM, RunFile.FULL), planned.cells(), experiment("test", null, further, ROWS));
        String interval = new ExperimentResults(full)
                .ratio(ExperimentResults.THROUGHPUT, ROWS.get(1), ROWS.get(0), null)
                .text();
        assertTrue(String.join("", ExperimentTables.texts(full)).contains(interval), interval);
        assertTrue(Agreement.of(full, full).text().contains(interval), interval);
        assertFalse(Agreement.of(planned, planned).text().contains(interval), interval);
    }

    @Test
    void onlyTwoRepeatedRunsOfOneExperimentCanAgree() {
        RunFile run = run("test", 1.4, 1.5);
        assertThrows(IllegalArgumentException.class, () -> Agreement.of(run, run("another", 1.4, 1.5)));
        assertThrows(IllegalArgumentException.class, () -> Agreement.of(run, run("test", 1.5)));
    }

    /** Three blocks in which B and C do 1.5 times as much as A. */
    private static RunFile three(String wrong) {
        RunFile run = run("test", 1.4, 1.5, 1.6);
        List<CellResult> cells = new ArrayList<>(run.cells());
        run.cells().stream()
                .filter(cell -> cell.label().equals("B"))
                .forEach(cell ->
                        cells.add(cell("C", cell.repetition(), cell.counts().requests(), 1, false)));
        cells.replaceAll(cell -> cell.label().equals(wrong) ? cell(wrong, cell.repetition(), 1000, 1, true) : cell);
        return with(run, cells);
    }

    @Test
    void aRatioThatOneRunHasLostDoesNotAgree() {
        assertTrue(Agreement.of(three(""), three("")).text().endsWith("7 of 7 agree"));
        Agreement lost = Agreement.of(three(""), three("B"));
        assertEquals(false, lost.complete());
        assertTrue(
                lost.text().lines().anyMatch(line -> line.matches("text of b +1\\.50 \\[1\\..* - +MISSING in second")),
                lost.text());
        assertTrue(lost.text().endsWith("2 of 7 agree"), lost.text());
        assertTrue(Agreement.of(three("B"), three("")).text().contains(" MISSING in first\n"));
        assertTrue(Agreement.of(three("B"), three("B")).text().endsWith("2 of 2 agree"), "lost in both");
    }

    @Test
    void rowsThatOneRunDoesNotHaveAreNotMissing() {
        RunFile all = three("");
        RunFile quick = run(
                all.plan(),
                all.cells().stream().filter(cell -> !cell.label().equals("C")).toList(),
                experiment("test", null, SHORT, ROWS.subList(0, 2)));
        assertTrue(Agreement.of(all, quick).text().endsWith("5 of 5 agree"));
        assertTrue(Agreement.of(quick, all).text().endsWith("5 of 5 agree"));
    }
}
