package dev.millrace.load.run;

import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;

/**
 * The window of cells that are measured at the same time: it opens for all at one moment, and ends for all at one. A
 * thread for each cell meets the others four times. It does so by {@link #await} before the warm-up, before the window and at its
 * end. It does so by {@link #leave} when it is done, also after a failure. The last one to come acts for all.
 */
final class SharedWindow {

    private static final int OPENS = 1;
    private static final int ENDS = 2;
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final List<CellClock> clocks;
    private final List<CpuProbe> probes;
    private final Phaser meetings;
    private long startMillis;
    private long start;
    private long end;

    /** A window of cells with these clocks and probes. */
    SharedWindow(List<CellClock> clocks, List<CpuProbe> probes) {
        this.clocks = clocks;
        this.probes = probes;
        this.meetings = new Phaser(clocks.size()) {
            @Override
            protected boolean onAdvance(int meeting, int left) {
                if (meeting == OPENS) {
                    open();
                } else if (meeting == ENDS) {
                    end();
                }
                return left == 0;
            }
        };
    }

    private void open() {
        probes.forEach(CpuProbe::beforeStart);
        probes.forEach(CpuProbe::start);
        startMillis = System.currentTimeMillis();
        start = System.nanoTime();
        clocks.forEach(clock -> clock.openWindow(start));
    }

    private void end() {
        probes.forEach(CpuProbe::beforeStop);
        probes.forEach(CpuProbe::stop);
        end = System.nanoTime();
        clocks.forEach(clock -> clock.closeWindow(end));
        probes.forEach(CpuProbe::afterStop);
    }

    /**
     * Waits for the other cells, and ignores interrupts meanwhile. A thread that is interrupted elsewhere calls {@link
     * #leave}, and the others go on.
     */
    void await() {
        meetings.arriveAndAwaitAdvance();
    }

    /** Ends the part of this cell: the others do not wait for it any more. */
    void leave() {
        meetings.arriveAndDeregister();
    }

    /** Releases all threads that still wait, because no other thread will come. */
    void giveUp() {
        meetings.forceTermination();
    }

    /** The moment at which it opened, by {@link System#nanoTime}. */
    long start() {
        return start;
    }

    /** The same moment in milliseconds since 1970. */
    long startMillis() {
        return startMillis;
    }

    /** Its length. */
    double seconds() {
        return (end - start) / NANOS_PER_SECOND;
    }

    /** The use of the cores in it; the servers of the other cells are not among the other processes. */
    CpuUse used(CpuProbe own) {
        Double partners = null;
        for (CpuProbe probe : probes) {
            if (probe != own) {
                Double seconds = probe.used().serverHere();
                partners = (partners == null ? 0 : partners) + (seconds == null ? 0 : seconds);
            }
        }
        return own.used().beside(partners);
    }
}
