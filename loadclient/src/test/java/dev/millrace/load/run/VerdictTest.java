package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.host.ServerCpu;
import dev.millrace.load.http.Target;
import dev.millrace.load.run.RunSettings.Limits;
import dev.millrace.load.scenario.CatalogFile;
import dev.millrace.load.scenario.DownloadWorkload;
import dev.millrace.load.scenario.UuidWorkload;
import dev.millrace.load.scenario.Verify;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The use of the cores decides the bound of a cell's figures. */
class VerdictTest {

    /** A server of this machine. */
    private record Server(OptionalDouble allowedCores) implements ServerCpu {

        @Override
        public OptionalLong nanos() {
            return OptionalLong.empty();
        }

        @Override
        public boolean isOnThisMachine() {
            return true;
        }
    }

    /** It may use both cores of the machine. */
    private static final ServerCpu SERVER = new Server(OptionalDouble.of(2));

    private static final List<Long> STEADY = List.of(100L, 101L, 99L, 100L);

    private static Cell cell(double rate) {
        return new Cell(
                "",
                1,
                rate,
                0,
                new UuidWorkload(
                        Target.of("http://127.0.0.1:1/"),
                        new UuidWorkload.Settings("GET", true, "RANDOM", 1, null, List.of(), UuidWorkload.Check.FULL)));
    }

    private static CpuUse cpu(double server, double client, double idle, double steal) {
        return new CpuUse(server, client, 0.0, idle, steal, 0.0, null, null, false, null);
    }

    private static Verdict.Facts facts(
            Cell cell, Counts counts, long sent, Map<String, FailureCount> errors, boolean drainTells) {
        return new Verdict.Facts(
                cell,
                10,
                counts,
                sent,
                errors,
                cpu(5, 5, 10, 0),
                new Series(List.of(), STEADY, STEADY),
                false,
                drainTells,
                SERVER,
                Limits.NONE);
    }

    private static String verdict(Cell cell, long requests, CpuUse cpu, List<Long> series, Limits limits) {
        return verdict(cell, requests, cpu, series, SERVER, limits);
    }

    private static String verdict(
            Cell cell, long requests, CpuUse cpu, List<Long> series, ServerCpu server, Limits limits) {
        return Verdict.of(new Verdict.Facts(
                cell,
                10,
                new Counts(requests, 0, 1, 0, 0, 0),
                requests,
                Map.of(),
                cpu,
                new Series(List.of(), series, series),
                false,
                true,
                server,
                limits));
    }

    private static String verdict(CpuUse cpu) {
        return verdict(cell(0), 1000, cpu, STEADY, Limits.NONE);
    }

    @Test
    void theBoundOfThroughputIsNamed() {
        assertEquals("server-bound", verdict(cpu(19.5, 0.3, 0.2, 0)));
        assertEquals("box-bound", verdict(cpu(12, 7.8, 0.2, 0)));
        assertEquals("latency-bound", verdict(cpu(5, 5, 10, 0)));
        assertEquals("mixed", verdict(cpu(11.5, 7, 1.5, 0)));
        assertEquals("ok", verdict(new CpuUse(null, null, null, null, null, null, null, null, false, null)));
    }

    @Test
    void theCoresOfARemoteServerAreUnknown() {
        CpuUse busy = new CpuUse(100.0, 5.0, 1.0, 14.0, 0.0, 0.0, null, null, true, null);
        assertEquals(20, busy.total(), "of this machine");
        assertEquals("ok", verdict(busy), "idle cores here say nothing about those there");
        assertEquals("client-bound", verdict(new CpuUse(1.0, 19.5, 0.1, 0.4, 0.0, 0.0, null, null, true, null)));
        assertEquals("ok", verdict(new CpuUse(null, 5.0, 1.0, 14.0, 0.0, 0.0, null, null, false, null)));
        assertEquals("client-bound", verdict(new CpuUse(null, 19.5, 0.1, 0.4, 0.0, 0.0, null, null, false, null)));
    }

    /** A server in a container tells its CPU time, and not how many cores it has. */
    @Test
    void theCoresOfAServerInAContainerAreUnknown() {
        ServerCpu contained = new Server(OptionalDouble.empty());
        CpuUse idle = cpu(5, 5, 10, 0);
        assertEquals("ok", verdict(cell(0), 1000, idle, STEADY, contained, Limits.NONE));
        CpuUse busy = cpu(0.1, 19.5, 0.4, 0);
        assertEquals("client-bound", verdict(cell(0), 1000, busy, STEADY, contained, Limits.NONE));
    }

    @Test
    void limitsMakeCellsInvalid() {
        CpuUse idle = cpu(5, 5, 10, 0);
        assertEquals("invalid: nothing completed", verdict(cell(0), 0, idle, STEADY, Limits.NONE));
        assertEquals(
                "invalid: unsteady (114.3 %)",
                verdict(cell(0), 1000, idle, List.of(1L, 200L, 1L, 200L), new Limits(3.0, null, null, null)));
        assertEquals("latency-bound", verdict(cell(0), 1000, idle, STEADY, new Limits(3.0, null, null, null)));
        assertEquals(
                "invalid: steal (5.0 %)",
                verdict(cell(0), 1000, cpu(5, 5, 9, 1), STEADY, new Limits(null, 1.0, null, null)));
        CpuUse others = new CpuUse(5.0, 5.0, 4.0, 6.0, 0.0, 0.0, null, null, false, null);
        assertEquals(
                "invalid: other processes (20.0 %)",
                verdict(cell(0), 1000, others, STEADY, new Limits(null, null, 15.0, null)));
        assertEquals("latency-bound", verdict(cell(0), 1000, others, STEADY, new Limits(null, null, 25.0, null)));
        CpuUse unknown = new CpuUse(null, 5.0, 0.0, 15.0, 0.0, 0.0, null, null, false, null);
        assertEquals(
                "invalid: what other processes took is not known",
                verdict(cell(0), 1000, unknown, STEADY, new Limits(null, null, 25.0, null)));
        assertEquals(
                "invalid: latency-bound",
                verdict(cell(0), 1000, idle, STEADY, new Limits(null, null, null, "server-bound")));
        assertEquals(
                "invalid: what bounds throughput is not known",
                verdict(cell(0), 1000, unknown, STEADY, new Limits(null, null, null, "server-bound")));
    }

    /** In a short window the kernel's ticks of 10 ms are too coarse, and a bound would be passed in silence. */
    @Test
    void aBoundThatCannotBeCheckedIsNotKept() {
        String other = "invalid: what other processes took is not known of a window below 2s";
        assertEquals(other, verdictOfASecond(new Limits(null, null, 5.0, null)));
        String steal = "invalid: what the hypervisor took is not known of a window below 2s";
        assertEquals(steal, verdictOfASecond(new Limits(null, 5.0, null, null)));
        String steadiness = "invalid: how steady throughput was is not known of a window below 2s";
        assertEquals(steadiness, verdictOfASecond(new Limits(5.0, null, null, null)));
        assertEquals("latency-bound", verdictOfASecond(Limits.NONE));
        CpuUse unknown = new CpuUse(null, null, null, null, null, null, null, null, false, null);
        assertEquals(
                "invalid: what the hypervisor took is not known",
                verdict(cell(0), 1000, unknown, STEADY, new Limits(null, 5.0, null, null)));
    }

    private static String verdictOfASecond(Limits limits) {
        return Verdict.of(new Verdict.Facts(
                cell(0),
                1,
                new Counts(1000, 0, 1, 0, 0, 0),
                1000,
                Map.of(),
                new CpuUse(0.5, 0.5, 0.5, 0.5, 0.0, 0.0, null, null, false, null),
                new Series(List.of(), List.of(), List.of()),
                false,
                true,
                SERVER,
                limits));
    }

    @Test
    void aRateIsReachedOrNot() {
        CpuUse idle = cpu(5, 5, 10, 0);
        assertEquals("at-rate", verdict(cell(100), 1000, idle, STEADY, Limits.NONE));
        assertEquals("invalid: rate not reached (97)", verdict(cell(100), 970, idle, STEADY, Limits.NONE));
        assertEquals("at-rate", verdict(cell(100), 1020, idle, STEADY, Limits.NONE));
        assertEquals("invalid: rate exceeded (103)", verdict(cell(100), 1030, idle, STEADY, Limits.NONE));
        assertEquals("at-rate", verdict(cell(0.1), 2, idle, STEADY, Limits.NONE), "the edges fell so");
        assertEquals(
                "invalid: rate not reached (50)",
                Verdict.of(facts(cell(100), new Counts(1000, 0, 1, 0, 0, 0), 500, Map.of(), true)),
                "sent too late");
    }

    @Test
    void unfinishedExchangesMakeCellsInvalid() {
        assertEquals(
                "invalid: 7 requests of the rate were not sent",
                Verdict.of(facts(cell(100), new Counts(993, 0, 1, 1, 0, 7), 993, Map.of(), true)));
        assertEquals(
                "invalid: 3 requests unanswered when the drain ended",
                Verdict.of(facts(cell(0), new Counts(1000, 0, 1, 3, 0, 0), 0, Map.of(), true)));
        assertEquals("latency-bound", Verdict.of(facts(cell(0), new Counts(1000, 0, 1, 3, 0, 0), 0, Map.of(), false)));
    }

    @Test
    void bytesWithoutACompleteDownloadAreInvalid() {
        Cell files = new Cell(
                "",
                1,
                0,
                0,
                new DownloadWorkload(
                        Target.of("http://127.0.0.1:1/"),
                        "a",
                        List.of(new CatalogFile("a", 1000, null)),
                        true,
                        Verify.LENGTH,
                        1,
                        List.of()));
        assertEquals(
                "invalid: no download ended in the window",
                Verdict.of(facts(files, new Counts(0, 900, 1, 0, 0, 0), 0, Map.of(), true)));
        assertEquals("latency-bound", Verdict.of(facts(files, new Counts(1, 1900, 1, 0, 0, 0), 0, Map.of(), true)));
        assertEquals(
                "invalid: nothing completed",
                Verdict.of(facts(files, new Counts(0, 0, 1, 0, 0, 0), 0, Map.of(), true)));
        assertEquals(
                "latency-bound",
                Verdict.of(facts(files, new Counts(5, 0, 1, 0, 0, 0), 0, Map.of(), true)),
                "of an empty file");
    }

    @Test
    void errorsDoNotHideWhatElseIsWrong() {
        Map<String, FailureCount> errors = Map.of("reset", new FailureCount(5, "reset"));
        Verdict.Facts none = facts(cell(0), new Counts(0, 0, 1, 0, 0, 0), 0, errors, true);
        assertEquals("errors", Verdict.of(none));
        assertEquals("nothing completed", Verdict.flaw(none));
        assertNull(Verdict.flaw(facts(cell(0), new Counts(995, 0, 1, 0, 0, 0), 0, errors, true)));
        assertNull(
                Verdict.flaw(facts(cell(100), new Counts(995, 0, 1, 0, 0, 0), 1000, errors, true)), "they were sent");
        assertEquals(
                "rate not reached (90)",
                Verdict.flaw(facts(cell(100), new Counts(895, 0, 1, 0, 0, 0), 900, errors, true)));
        Verdict.Facts ports = facts(
                cell(0), new Counts(995, 0, 1, 0, 0, 0), 0, Map.of("port exhaustion", new FailureCount(1, "x")), true);
        assertEquals("invalid: ports", Verdict.of(ports));
    }

    @Test
    void failuresAfterAStopAreNoVerdict() {
        assertEquals(
                "invalid: stopped early",
                Verdict.of(new Verdict.Facts(
                        cell(0),
                        10,
                        new Counts(995, 0, 1, 0, 0, 0),
                        0,
                        Map.of("reset", new FailureCount(1, "reset")),
                        cpu(5, 5, 10, 0),
                        new Series(List.of(), STEADY, STEADY),
                        true,
                        true,
                        SERVER,
                        Limits.NONE)));
    }

    @Test
    void aWarmUpIsOverWhenNothingChangesAnyMore() {
        assertTrue(Steadiness.reached(Collections.nCopies(10, 1000L)));
        assertFalse(Steadiness.reached(Collections.nCopies(9, 1000L)), "too few");
        assertFalse(Steadiness.reached(List.of(100L, 110L, 120L, 130L, 140L, 150L, 160L, 170L, 180L, 190L)), "rising");
        assertFalse(Steadiness.reached(List.of(900L, 1100L, 900L, 1100L, 900L, 1100L, 900L, 1100L, 900L, 1100L)));
        assertTrue(
                Steadiness.reached(
                        List.of(1L, 500L, 1000L, 1001L, 999L, 1000L, 1002L, 998L, 1000L, 1000L, 1000L, 1001L)),
                "only the last ten count");
    }
}
