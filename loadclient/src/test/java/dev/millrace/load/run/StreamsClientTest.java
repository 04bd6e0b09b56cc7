package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.Http2TestServer;
import dev.millrace.load.TestServer;
import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.Target;
import dev.millrace.load.scenario.Script;
import dev.millrace.load.scenario.Workload;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients with several requests under way, in cells of their own. */
class StreamsClientTest {

    private static final int STREAMS = 4;
    private static final int AT_ONCE = 8;
    private static final long LATE_MILLIS = 500;
    private static final Duration LONG = Duration.ofSeconds(20);

    /** Answers each request at once. */
    private static class Answering extends Handler.Abstract {

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            response.write(true, ByteBuffer.wrap(new byte[10]), callback);
            return true;
        }
    }

    /** Answers the first requests at once, and the others after the window, which ends when all are under way. */
    private static final class AfterTheWindow extends Answering {

        private final AtomicInteger asked = new AtomicInteger();
        private volatile CellClock clock;

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            int number = asked.incrementAndGet();
            if (number == AT_ONCE + STREAMS) {
                clock.closeWindow(System.nanoTime());
            }
            if (number > AT_ONCE) {
                while (clock.phase() != CellClock.Phase.DRAIN) {
                    LockSupport.parkNanos(1_000_000L);
                }
                TestServer.takeTime(LATE_MILLIS * 1_000_000L);
            }
            return super.handle(request, response, callback);
        }
    }

    /** Work whose first script throws when it is asked for its first calls. */
    private record Throwing(Workload work, AtomicInteger faults) implements Workload {

        @Override
        public Target target() {
            return work.target();
        }

        @Override
        public Map<String, String> parameters() {
            return Map.of();
        }

        @Override
        public Script script(long seed) {
            Script script = work.script(seed);
            return () -> {
                if (faults.getAndDecrement() > 0) {
                    throw new IllegalStateException("no such place");
                }
                return script.next();
            };
        }
    }

    private static CellResult run(Workload work, Duration window, long requests) throws Exception {
        return run(Protocol.H2C, work, window, requests);
    }

    private static CellResult run(Protocol protocol, Workload work, Duration window, long requests) throws Exception {
        return cellRun(protocol, work, window, requests).run(0);
    }

    private static CellRun cellRun(Protocol protocol, Workload work, Duration window, long requests) {
        Cell cell = new Cell("", 1, 0, 0, protocol, STREAMS, work);
        return new CellRun(
                cell,
                CellRunTest.settings(Duration.ZERO, window, requests),
                null,
                (warmingUp, seconds, left, asked, bytes, errors) -> {});
    }

    private static Workload asking(Http2TestServer server) {
        return new CellRunTest.Asking(Target.of(server.url("/")), new CellRunTest.Failing(0));
    }

    @Test
    @Timeout(60)
    void aFaultOfThisProgramIsCountedAndTheClientGoesOn() throws Exception {
        try (Http2TestServer server = Http2TestServer.clear(new Answering(), 128)) {
            CellResult result = run(new Throwing(asking(server), new AtomicInteger(2)), LONG, 12);
            assertEquals(
                    new FailureCount(2, "java.lang.IllegalStateException: no such place"),
                    result.errors().get("other"),
                    result.errors()::toString);
            assertEquals(10, result.counts().requests());
        }
    }

    /** HTTP/1.1 has no streams, and its connection is of another class. */
    @Test
    @Timeout(60)
    void aConnectThatThrowsIsAFailure() throws Exception {
        try (TestServer server =
                new TestServer((request, out, socket) -> TestServer.send(out, "200 OK", "x/y", new byte[10]))) {
            Workload work = new CellRunTest.Asking(Target.of(server.url("/")), new CellRunTest.Failing(0));
            CellResult result = run(Protocol.HTTP1, work, Duration.ofMillis(200), 0);
            assertEquals("errors", result.verdict());
            assertTrue(
                    result.errors().get("other").first().startsWith("java.lang.ClassCastException: "),
                    result.errors()::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1000})
    void theLongestLatenciesEndAfterTheWindow(long requests) throws Exception {
        AfterTheWindow handler = new AfterTheWindow();
        try (Http2TestServer server = Http2TestServer.clear(handler, 128)) {
            CellRun run = cellRun(Protocol.H2C, asking(server), LONG, requests);
            handler.clock = run.clock();
            CellResult result = run.run(0);
            assertEquals(AT_ONCE, result.counts().requests());
            assertEquals(AT_ONCE + STREAMS, result.times().latency().count());
            assertTrue(result.times().latency().max() >= LATE_MILLIS * 1000, result.times()::toString);
        }
    }
}
