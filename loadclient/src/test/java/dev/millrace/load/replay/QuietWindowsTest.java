package dev.millrace.load.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Counts;
import dev.millrace.load.run.CpuUse;
import dev.millrace.load.run.FailureCount;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Series;
import dev.millrace.load.run.Times;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Windows are measured again when the machine's host has taken too much CPU time. */
class QuietWindowsTest {

    private final StringWriter said = new StringWriter();
    private final List<Long> rests = new ArrayList<>();
    private boolean goesOn = true;
    private final QuietWindows windows = new QuietWindows(
            10,
            nanos -> {
                rests.add(TimeUnit.NANOSECONDS.toSeconds(nanos));
                return goesOn;
            },
            new PrintWriter(said, true));

    /** @param stealSeconds steal time in two seconds of CPU time; null if it is unknown */
    private static CellResult window(Double stealSeconds, boolean wrong) {
        Percentiles times = new Percentiles(1000, 2, 1.0, 3.0, 4.0, 5.0, 6);
        CpuUse cpu = stealSeconds == null
                ? new CpuUse(null, null, null, null, null, null, null, null, false, null)
                : new CpuUse(0.5, 0.5, 0.0, 1.0 - stealSeconds, stealSeconds, 0.0, 10L, 1000L, false, null);
        return new CellResult(
                "A",
                Map.of(),
                0,
                "closed",
                false,
                1.0,
                new Counts(100, 0, 4, 0, 0, 0),
                wrong ? Map.of("reset", new FailureCount(1, "x")) : Map.of(),
                new Times(times, null, times, times, times, null),
                List.of(),
                cpu,
                new Series(List.of(), List.of(), List.of()),
                "",
                "box-bound",
                List.of());
    }

    private CellResult measure(CellResult... results) throws Exception {
        Queue<CellResult> left = new ArrayDeque<>(List.of(results));
        CellResult counted = windows.measure(left::remove);
        assertTrue(left.isEmpty(), left.size() + " windows too few");
        return counted;
    }

    @Test
    void aQuietWindowCounts() throws Exception {
        CellResult quiet = window(0.19, false);
        assertSame(quiet, measure(quiet));
        CellResult unknown = window(null, false);
        assertSame(unknown, measure(unknown));
        assertEquals("", said.toString());
        assertEquals(
                "0 measured again, for the machine's host had taken more than 10 % of it; 0 stayed so",
                windows.toString());
    }

    @Test
    void aDisturbedOneIsMeasuredAgainAfterAPause() throws Exception {
        CellResult quiet = window(0.0, false);
        assertSame(quiet, measure(window(0.8, false), window(0.22, false), quiet));
        assertEquals(List.of(1L, 2L), rests);
        assertEquals(
                List.of("again: the machine's host took 40 % of it", "again: the machine's host took 11 % of it"),
                said.toString().lines().toList());
        assertEquals(
                "2 measured again, for the machine's host had taken more than 10 % of it; 0 stayed so",
                windows.toString());
    }

    @Test
    void theLeastDisturbedOfFiveCounts() throws Exception {
        CellResult least = window(0.3, false);
        assertSame(
                least, measure(window(0.8, false), window(0.5, false), least, window(0.4, false), window(0.9, false)));
        assertEquals(List.of(1L, 2L, 4L, 8L), rests);
        assertEquals(
                "4 measured again, for the machine's host had taken more than 10 % of it; 1 stayed so",
                windows.toString());
    }

    @Test
    void errorsAreNotForgiven() throws Exception {
        CellResult wrong = window(0.8, true);
        assertSame(wrong, measure(wrong));
        assertSame(wrong, measure(window(0.5, false), wrong));
    }

    /** Ctrl-C cuts the second attempt short, whose part of a window was quiet. */
    @Test
    void aWindowThatWasStoppedReplacesNone() throws Exception {
        CellResult whole = window(0.8, false);
        assertSame(whole, measure(whole, stopped(window(0.0, false))));
        assertSame(whole, measure(whole, stopped(window(0.0, true))), "errors after it are those of its end");
        CellResult first = stopped(window(0.0, false));
        assertSame(first, measure(first));
    }

    private static CellResult stopped(CellResult cell) {
        return new CellResult(
                cell.label(),
                cell.parameters(),
                cell.repetition(),
                cell.model(),
                cell.countsBytes(),
                0.1,
                cell.counts(),
                cell.errors(),
                cell.times(),
                cell.sizes(),
                cell.cpu(),
                cell.series(),
                "",
                "invalid: stopped early",
                List.of());
    }

    @Test
    void anInterruptionEndsTheAttempts() throws Exception {
        goesOn = false;
        CellResult disturbed = window(0.8, false);
        assertSame(disturbed, measure(disturbed));
    }
}
