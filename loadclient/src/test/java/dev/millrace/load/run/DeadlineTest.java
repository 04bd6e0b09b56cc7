package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client and the watchdog meet at a deadline. */
class DeadlineTest {

    private static final int EXCHANGES = 5_000_000;

    /** The watchdog claims an exchange, and the client may have the next connection before the watchdog closes one. */
    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void theConnectionThatIsClosedIsThatOfTheLateExchange() throws Exception {
        Deadline deadline = new Deadline();
        AtomicBoolean over = new AtomicBoolean();
        boolean[] closed = new boolean[EXCHANGES];
        boolean[] aborted = new boolean[EXCHANGES];
        List<Thread> watchdogs = Stream.generate(() -> new Thread(() -> {
                    while (!over.get()) {
                        deadline.check(System.nanoTime(), true);
                    }
                }))
                .limit(4)
                .toList();
        watchdogs.forEach(Thread::start);
        for (int i = 0; i < EXCHANGES; i++) {
            int exchange = i;
            deadline.guard(() -> closed[exchange] = true);
            deadline.set(System.nanoTime());
            aborted[i] = !deadline.clear();
        }
        over.set(true);
        for (Thread watchdog : watchdogs) {
            watchdog.join();
        }
        for (int i = 0; i < EXCHANGES; i++) {
            assertFalse(closed[i] && !aborted[i], "connection " + i);
        }
    }
}
