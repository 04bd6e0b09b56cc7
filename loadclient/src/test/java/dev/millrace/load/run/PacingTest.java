package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.http.Target;
import dev.millrace.load.scenario.UuidWorkload;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The moments at which a client may send. */
class PacingTest {

    private final CellClock clock = new CellClock(0);

    private Pacing pacing(double rate) {
        return pacing(1, 0, rate, Duration.ZERO);
    }

    private Pacing pacing(int clients, int client, double rate, Duration ramp) {
        return new Pacing(
                new Cell(
                        "",
                        clients,
                        rate,
                        0,
                        new UuidWorkload(
                                Target.of("http://127.0.0.1:1/"),
                                new UuidWorkload.Settings(
                                        "GET", true, "RANDOM", 1, null, List.of(), UuidWorkload.Check.FULL))),
                client,
                ramp,
                clock);
    }

    @Test
    void requestsDueBeforeAClientBeganAreSkipped() {
        long start = System.nanoTime() - TimeUnit.SECONDS.toNanos(3);
        clock.start(start);
        clock.openWindow(start);
        Pacing second = pacing(2, 1, 100, Duration.ofSeconds(2));
        second.awaitStart();
        assertEquals(start + TimeUnit.MILLISECONDS.toNanos(1010), second.awaitNext(), "a second later, on its line");
        Pacing first = pacing(2, 0, 100, Duration.ofSeconds(2));
        first.awaitStart();
        assertEquals(start, first.awaitNext());
    }

    /** The clients take turns, each by its own line from the same beginning: not a request more or less a second. */
    @Test
    void requestsOfAllClientsAreDueAtTheRate() {
        int clients = 8;
        long start = System.nanoTime() - TimeUnit.MINUTES.toNanos(1);
        clock.start(start);
        clock.openWindow(start);
        for (int client = 0; client < clients; client++) {
            Pacing pacing = pacing(clients, client, 1, Duration.ZERO);
            pacing.awaitStart();
            assertEquals(start + TimeUnit.SECONDS.toNanos(client), pacing.awaitNext());
            assertEquals(start + TimeUnit.SECONDS.toNanos(clients + client), pacing.awaitNext());
        }
    }

    @Test
    void requestsDueInARestAreSkipped() throws Exception {
        long start = System.nanoTime() - TimeUnit.SECONDS.toNanos(10);
        clock.start(start);
        Pacing pacing = pacing(100);
        assertEquals(start, pacing.awaitNext(), "a client that is behind sends at once");
        clock.rest(true);
        long over = restThenSend(pacing).join();
        assertTrue(over - start >= TimeUnit.SECONDS.toNanos(10), "due after the rest, not in it");
        assertEquals(over + TimeUnit.MILLISECONDS.toNanos(10), pacing.awaitNext(), "on the same line as before");
    }

    /** Skipped, they would be missing from the latencies, although they had to wait. */
    @Test
    void requestsDueInTheWindowAreNotSkippedByAClientThatWakesUpLate() throws Exception {
        clock.start(System.nanoTime());
        clock.rest(true);
        Pacing pacing = pacing(1000);
        CompletableFuture<Long> sent = new CompletableFuture<>();
        Thread client = new Thread(() -> sent.complete(pacing.awaitNext()));
        client.start();
        while (client.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        long windowStart = System.nanoTime();
        clock.openWindow(windowStart);
        long late = sent.get(10, TimeUnit.SECONDS) - windowStart;
        assertTrue(late <= TimeUnit.MILLISECONDS.toNanos(1), "the first request was due " + late + " ns after");
    }

    @Test
    void noClientOfTheClosedModelSendsInARest() throws Exception {
        clock.start(System.nanoTime());
        clock.rest(true);
        Pacing pacing = pacing(0);
        long ended = restThenSend(pacing).join();
        assertTrue(ended - clock.startNanos() > 0);
    }

    /** The moment of the next request, which is due after the rest. */
    private CompletableFuture<Long> restThenSend(Pacing pacing) throws Exception {
        CompletableFuture<Thread> client = new CompletableFuture<>();
        CompletableFuture<Long> sent = CompletableFuture.supplyAsync(
                () -> {
                    client.complete(Thread.currentThread());
                    return pacing.awaitNext();
                },
                task -> new Thread(task).start());
        while (client.get().getState() != Thread.State.TIMED_WAITING) {
            assertTrue(!sent.isDone(), "sent in the rest");
            Thread.onSpinWait();
        }
        long end = System.nanoTime();
        clock.rest(false);
        return sent.thenApply(due -> {
            assertTrue(due - end >= 0, "not before the rest's end");
            return due;
        });
    }
}
