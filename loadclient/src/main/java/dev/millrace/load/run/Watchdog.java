package dev.millrace.load.run;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Aborts exchanges that are late: one thread for all clients of a cell. */
final class Watchdog implements AutoCloseable {

    private static final long INTERVAL_MILLIS = 20;

    private final List<Client> clients;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean atOnce;

    Watchdog(List<Client> clients) {
        this.clients = clients;
        Thread thread = new Thread(this::watch, "watchdog");
        thread.setDaemon(true);
        thread.start();
    }

    /** From now on every exchange is late. */
    void abortAll() {
        atOnce = true;
    }

    private void watch() {
        try {
            while (!closed.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
                long now = System.nanoTime();
                for (Client client : clients) {
                    client.deadline().check(now, atOnce);
                }
            }
        } catch (InterruptedException ignored) {
            // Nobody interrupts this thread but a JVM that ends.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
