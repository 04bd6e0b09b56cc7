package dev.millrace.testing;

import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.Lincheck;

/**
 * Runs a scenario of several threads again and again, each time with other points at which one goes on in place of another. Lincheck's
 * model checker chooses them among the reads and writes of fields that threads share. It fails with the trace of the interleaving that
 * broke the scenario, also when no thread can go on.
 */
public final class Interleavings {
    /** The property for longer runs. */
    private static final int MOST = Integer.getInteger("millrace.interleavings", 3000);

    private Interleavings() {}

    /** @param scenario makes what its threads share, runs them by {@link #together}, and asserts what must hold */
    public static void explore(Runnable scenario) {
        Lincheck.runConcurrentTest(MOST, scenario);
    }

    /** Runs each part on a thread of its own, waits for all, and throws what one of them has thrown. */
    public static void together(Runnable... parts) {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread[] threads = new Thread[parts.length];
        for (int i = 0; i < parts.length; i++) {
            Runnable part = parts[i];
            threads[i] = new Thread(() -> {
                try {
                    part.run();
                } catch (Throwable x) {
                    thrown.compareAndSet(null, x);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            join(thread);
        }
        if (thrown.get() != null) {
            throw new AssertionError(thrown.get());
        }
    }

    public static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException x) {
            throw new AssertionError(x);
        }
    }
}
