package dev.millrace.load.run;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Aborts late exchanges, with one thread for all clients of a cell. Safe for use by any thread. */
final class Watchdog implements AutoCloseable {

    private static final long INTERVAL_MILLIS = 20;

    private final List<? extends LoadClient> clients;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean atOnce;

    Watchdog(List<? extends LoadClient> clients) {
        this.clients = clients;
        Thread thread = new Thread(this::watch, "watchdog");
        thread.setDaemon(true);
        thread.start();
    }

    /** Treats every exchange as late from now on. */
    void abortAll() {
        atOnce = true;
    }

    private void watch() {
        try {
            while (!closed.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
                long now = System.nanoTime();
                for (LoadClient client : clients) {
                    client.deadline().check(now, atOnce);
                }
            }
        } catch (InterruptedException ignored) {
            // Only the end of the JVM interrupts this thread.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
