package dev.millrace.load.run;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM: the running cell is asked to end, its results are reported, then the JVM ends. Safe for use by
 * any thread.
 */
public final class Interruption {

    private static final long REPORT_SECONDS = 10;
    /** Before anything is measured the command may wait for a server, and has nothing to report. */
    private static final long NO_REPORT_SECONDS = 1;

    private final CountDownLatch reported = new CountDownLatch(1);
    private boolean requested;
    private boolean measured;
    private Runnable stop = () -> {};
    private Runnable cleanUp = () -> {};

    /** Registers the shutdown hook. */
    public Interruption() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::interrupt, "interruption"));
    }

    /** Sets the action that ends the work under way. It runs at once if the end was requested before. */
    public void onRequest(Runnable action) {
        boolean now;
        synchronized (this) {
            stop = action;
            now = requested;
        }
        if (now) {
            action.run();
        }
    }

    /** Sets the action that ends a measurement. From now on there are results, whose report is waited for. */
    public void onRequestEnd(Runnable measurement) {
        synchronized (this) {
            measured = true;
        }
        onRequest(measurement);
    }

    /** Sets the action that must run before the JVM ends, such as ending servers, even if the command is not done. */
    public synchronized void beforeExit(Runnable action) {
        cleanUp = action;
    }

    /** Whether the user asked for the end. */
    public synchronized boolean requested() {
        return requested;
    }

    /** The command has ended. Returns false if the JVM is shutting down, because System.exit would block then. */
    public boolean finished() {
        reported.countDown();
        return !requested();
    }

    /** Requests the end, and waits up to 10 s for the report, if there is one. */
    public void interrupt() {
        Runnable action;
        Runnable last;
        long seconds;
        synchronized (this) {
            requested = true;
            seconds = measured ? REPORT_SECONDS : NO_REPORT_SECONDS;
            action = stop;
            last = cleanUp;
        }
        if (reported.getCount() == 0) {
            return;
        }
        action.run();
        try {
            reported.await(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException ignored) {
            // The JVM is shutting down. A report that is not written by now is lost.
            Thread.currentThread().interrupt();
        }
        last.run();
    }
}
