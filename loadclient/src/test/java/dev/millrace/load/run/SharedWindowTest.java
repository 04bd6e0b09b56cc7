package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.host.ServerCpu;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Cells meet at the ends of their window, and a client of one waits while that of another has its turn. */
class SharedWindowTest {

    @Test
    void allWindowsOpenAndEndAtOneMoment() throws InterruptedException {
        List<CellClock> clocks = List.of(new CellClock(0), new CellClock(0));
        SharedWindow window = new SharedWindow(clocks, List.of(new CpuProbe(null), new CpuProbe(null)));
        Thread other = new Thread(() -> {
            window.await();
            window.await();
            window.await();
            window.leave();
        });
        other.start();
        window.await();
        assertEquals(CellClock.Phase.WARMUP, clocks.get(0).phase());
        window.await();
        window.await();
        window.leave();
        other.join();
        for (CellClock clock : clocks) {
            assertEquals(window.start(), clock.windowStart());
            assertEquals(window.seconds(), (clock.windowEnd() - clock.windowStart()) / 1e9);
        }
    }

    @Test
    void whoLeavesIsNotWaitedFor() {
        List<CellClock> clocks = List.of(new CellClock(0), new CellClock(0));
        SharedWindow window = new SharedWindow(clocks, List.of(new CpuProbe(null), new CpuProbe(null)));
        window.leave();
        window.await();
        window.await();
        assertEquals(CellClock.Phase.WINDOW, clocks.get(0).phase());
        window.await();
        assertEquals(CellClock.Phase.DRAIN, clocks.get(0).phase());
    }

    /** An account that notes which of its figures are read. */
    private record Noting(String name, List<String> read) implements ServerCpu {

        @Override
        public OptionalLong nanos() {
            read.add(name + " cpu");
            return OptionalLong.of(0);
        }

        @Override
        public boolean isOnThisMachine() {
            return true;
        }

        @Override
        public OptionalLong threads() {
            read.add(name + " threads");
            return OptionalLong.empty();
        }

        @Override
        public long compilerNanos() {
            read.add(name + " compilers");
            return 0;
        }
    }

    @Test
    void theCpuOfAllServersIsReadAtOneMoment() {
        List<String> read = new ArrayList<>();
        SharedWindow window = new SharedWindow(
                List.of(new CellClock(0), new CellClock(0)),
                List.of(new CpuProbe(new Noting("a", read)), new CpuProbe(new Noting("b", read))));
        window.leave();
        window.await();
        window.await();
        assertEquals(List.of("a compilers", "b compilers", "a cpu", "b cpu"), read);
        read.clear();
        window.await();
        assertEquals(List.of("a threads", "b threads", "a cpu", "b cpu", "a compilers", "b compilers"), read);
    }

    @Test
    void thePartnersAreNoOtherProcesses() {
        CpuUse use = new CpuUse(1.0, 2.0, 1.5, 3.0, 0.5, 0.1, null, null, false, null);
        CpuUse beside = use.beside(1.25);
        assertEquals(0.25, beside.other());
        assertEquals(use.total(), beside.total());
        assertEquals(1.5, use.beside(null).other());
        assertNull(
                new CpuUse(9.0, 2.0, 1.5, 3.0, 0.5, 0.1, null, null, true, null).serverHere(),
                "it is on another machine");
    }

    /** A server that tells its time, and uses none of this machine's. */
    private static final ServerCpu ELSEWHERE = new ServerCpu() {
        @Override
        public OptionalLong nanos() {
            return OptionalLong.of(System.nanoTime());
        }

        @Override
        public boolean isOnThisMachine() {
            return false;
        }
    };

    @Test
    void partnersOnOtherMachinesUseNothingOfThisOne() {
        List<CpuProbe> probes = List.of(new CpuProbe(ELSEWHERE), new CpuProbe(ELSEWHERE));
        SharedWindow window = new SharedWindow(List.of(new CellClock(0), new CellClock(0)), probes);
        window.leave();
        window.await();
        window.await();
        window.await();
        CpuUse used = window.used(probes.get(0));
        assertEquals(0.0, used.partners());
        assertEquals(probes.get(0).used().other(), used.other());
        SharedWindow alone = new SharedWindow(List.of(new CellClock(0)), List.of(probes.get(0)));
        assertNull(alone.used(probes.get(0)).partners());
    }

    private static CellResult cell(CpuUse cpu) {
        Percentiles times = new Percentiles(1000, 2, 1.0, 3.0, 4.0, 5.0, 6);
        return new CellResult(
                "",
                Map.of("clients", "8"),
                0,
                "closed",
                false,
                10.0,
                new Counts(1000, 0, 8, 0, 0, 0),
                Map.of(),
                new Times(times, null, times, times, times, null),
                List.of(),
                null,
                cpu,
                new Series(List.of(), List.of(), List.of()),
                HistogramCodec.encode(new Histogram(3)),
                "ok",
                List.of(),
                0L);
    }

    @Test
    void theTimeOfTheClientsOfAllServersIsNotThatOfOnesRequests() {
        CellResult alone = cell(new CpuUse(1.0, 2.0, 1.5, 3.0, 0.5, 0.1, null, null, false, null));
        assertEquals(2000.0, alone.clientMicrosPerRequest());
        CellResult beside = cell(alone.cpu().beside(1.25));
        assertNull(beside.clientMicrosPerRequest());
        assertEquals(1000.0, beside.serverMicrosPerRequest());
        CellResult merged = MergedCell.of(List.of(beside, beside), "on two machines");
        assertEquals(1.25, merged.cpu().partners(), 1e-9);
        assertNull(merged.clientMicrosPerRequest());
    }

    @Test
    void turnsGoAroundAfterEightRequests() {
        List<Turn> ring = List.of(new Turn(), new Turn(), new Turn());
        Turn alone = new Turn();
        Turn.join(ring);
        for (int round = 0; round < 2; round++) {
            for (int place = 0; place < ring.size(); place++) {
                for (int request = 0; request < 8; request++) {
                    assertTrue(ring.get(place).await());
                    assertFalse(ring.get((place + 1) % ring.size()).await());
                    ring.get(place).sent();
                    alone.sent();
                    assertTrue(alone.await(), "in no ring it is always its turn");
                }
                assertFalse(ring.get(place).await());
            }
        }
    }
}
