package dev.millrace.load;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM: the running cell is asked to end, what it measured is reported, then the JVM goes. Safe for use
 * by any thread.
 */
final class Interruption {

    private static final long PATIENCE_SECONDS = 10;

    private final CountDownLatch reported = new CountDownLatch(1);
    private boolean requested;
    private Runnable stop = () -> { };
    private Runnable lastly = () -> { };

    /** Registers the shutdown hook. */
    Interruption() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::interrupt, "interruption"));
    }

    /** What ends the work now under way; called at once if the wish to end has come already. */
    void onRequest(Runnable action) {
        boolean now;
        synchronized (this) {
            stop = action;
            now = requested;
        }
        if (now) {
            action.run();
        }
    }

    /** What must happen before the JVM goes, whatever the command still does. */
    synchronized void lastly(Runnable action) {
        lastly = action;
    }

    synchronized boolean requested() {
        return requested;
    }

    /** The command has ended. Returns false if the JVM is going down already: System.exit would wait for ever then. */
    boolean finished() {
        reported.countDown();
        return !requested();
    }

    /** Asks for the end, and waits a while for what is still reported. */
    void interrupt() {
        Runnable action;
        Runnable last;
        synchronized (this) {
            requested = true;
            action = stop;
            last = lastly;
        }
        if (reported.getCount() == 0) {
            return;
        }
        action.run();
        try {
            reported.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException ignored) {
            // The JVM is going down; what was not reported by now is lost.
            Thread.currentThread().interrupt();
        }
        last.run();
    }
}
