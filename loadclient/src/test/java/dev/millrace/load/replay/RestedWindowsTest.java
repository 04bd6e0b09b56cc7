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
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Windows are measured again when the server's compilers have worked in them. */
class RestedWindowsTest {
    private static final String WHOLE = "box-bound";
    private static final String STOPPED = "invalid: stopped early";

    private final StringWriter said = new StringWriter();
    private final RestedWindows windows = new RestedWindows(new PrintWriter(said, true));
    private long compiledMillis;

    /** @param compiledMillis what the compilers take in it; below 0 when a thread of theirs has ended */
    private record Planned(CellResult result, long compiledMillis) {}

    private static Planned window(double seconds, long compiledMillis, String verdict, boolean wrong) {
        Percentiles times = new Percentiles(1000, 2, 1.0, 3.0, 4.0, 5.0, 6);
        return new Planned(
                new CellResult(
                        "A",
                        Map.of(),
                        0,
                        "closed",
                        false,
                        seconds,
                        new Counts(100, 0, 4, 0, 0, 0),
                        wrong ? Map.of("reset", new FailureCount(1, "x")) : Map.of(),
                        new Times(times, null, times, times, times, null),
                        List.of(),
                        new CpuUse(0.5, 0.5, 0.0, 1.0, 0.0, 0.0, 10L, 1000L, false, null),
                        new Series(List.of(), List.of(), List.of()),
                        "",
                        verdict,
                        List.of()),
                compiledMillis);
    }

    private static Planned window(double seconds, long compiledMillis) {
        return window(seconds, compiledMillis, WHOLE, false);
    }

    private CellResult measure(Planned... planned) throws Exception {
        Queue<Planned> left = new ArrayDeque<>(List.of(planned));
        CellResult counted = windows.measure(() -> TimeUnit.MILLISECONDS.toNanos(compiledMillis), () -> {
            Planned next = left.remove();
            compiledMillis += next.compiledMillis();
            return next.result();
        });
        assertTrue(left.isEmpty(), left.size() + " windows too few");
        return counted;
    }

    private void assertCounts(int again, int stayed) {
        assertEquals(
                again + " measured again, for the server's JIT compilers had taken more than 5 % of it; " + stayed
                        + " stayed so",
                windows.toString());
        assertEquals(again, said.toString().lines().count());
    }

    @Test
    void aRestedWindowCounts() throws Exception {
        Planned rested = window(2, 100);
        assertSame(rested.result(), measure(rested));
        Planned twoTicks = window(0.1, 20);
        assertSame(twoTicks.result(), measure(twoTicks));
        assertCounts(0, 0);
    }

    @Test
    void oneInWhichTheyWorkedIsMeasuredAgain() throws Exception {
        Planned rested = window(0.5, 20);
        assertSame(rested.result(), measure(window(0.5, 180), window(0.5, 30), rested));
        assertCounts(2, 0);
        assertEquals(
                List.of(
                        "again: the server's JIT compilers took 180 ms in it",
                        "again: the server's JIT compilers took 30 ms in it"),
                said.toString().lines().toList());
    }

    @Test
    void theOneOfFourInWhichTheyTookLeastCounts() throws Exception {
        Planned least = window(2, 110);
        assertSame(least.result(), measure(window(2, 400), least, window(2, 300), window(2, 120)));
        assertCounts(3, 1);
    }

    @Test
    void whereAThreadHasEndedTheTimeIsUnknown() throws Exception {
        Planned rested = window(2, 0);
        assertSame(rested.result(), measure(window(2, -50), rested));
        assertCounts(1, 0);
        assertEquals(
                "again: a thread of the server's JIT compilers has ended, and its time is unknown",
                said.toString().strip());
    }

    @Test
    void errorsAreNotForgiven() throws Exception {
        Planned wrong = window(2, 1000, WHOLE, true);
        assertSame(wrong.result(), measure(wrong));
        assertSame(wrong.result(), measure(window(2, 500), wrong));
        assertCounts(1, 0);
    }

    /** Ctrl-C cuts the second attempt short. */
    @Test
    void aWindowThatWasStoppedReplacesNone() throws Exception {
        Planned whole = window(2, 500);
        assertSame(whole.result(), measure(whole, window(0.1, 0, STOPPED, false)));
        assertSame(
                whole.result(), measure(whole, window(0.1, 0, STOPPED, true)), "errors after it are those of its end");
        Planned first = window(0.1, 500, STOPPED, false);
        assertSame(first.result(), measure(first));
    }
}
