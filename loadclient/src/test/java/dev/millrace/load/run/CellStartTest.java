package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.load.TestServer;
import dev.millrace.load.http.Target;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The clients of a cell begin together. It counts all clients of its JVM, so that no other case may run beside it. */
class CellStartTest {

    @Test
    void noClientSendsBeforeAllAreStarted() throws Exception {
        String reason = "a thread that works makes the next one's start wait";
        assertEquals(300, startedAtFirstRequest(300, Duration.ZERO), reason);
        assertEquals(300, startedAtFirstRequest(300, Duration.ofSeconds(20)), reason);
    }

    private static long startedAtFirstRequest(int clients, Duration warmup) throws Exception {
        AtomicLong started = new AtomicLong(-1);
        AtomicReference<CellRun> run = new AtomicReference<>();
        try (TestServer server = new TestServer((request, out, socket) -> {
            started.compareAndSet(
                    -1,
                    Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().equals("client"))
                            .count());
            run.get().stop();
            TestServer.send(out, "200 OK", "x/y", new byte[10]);
        })) {
            Cell cell = new Cell(
                    "", clients, 0, 0, new CellRunTest.Asking(Target.of(server.url("/")), new CellRunTest.Failing(0)));
            run.set(new CellRun(
                    cell,
                    CellRunTest.settings(warmup, Duration.ofSeconds(20), 0),
                    null,
                    (warmingUp, seconds, left, requests, bytes, errors) -> {}));
            run.get().run(0);
        }
        return started.get();
    }
}
