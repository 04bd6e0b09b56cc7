package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.Http2TestServer;
import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.Target;
import dev.millrace.load.scenario.Workload;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** Clients with several requests under way, in cells of their own. */
class StreamsClientTest {

    private static final int STREAMS = 4;

    /** Answers the first requests at once, and each later one after a time. */
    private static final class Slowing extends Handler.Abstract {

        private final AtomicInteger atOnce;
        private final long millis;

        Slowing(int atOnce, long millis) {
            this.atOnce = new AtomicInteger(atOnce);
            this.millis = millis;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            if (atOnce.decrementAndGet() < 0) {
                TimeUnit.MILLISECONDS.sleep(millis);
            }
            response.write(true, ByteBuffer.wrap(new byte[10]), callback);
            return true;
        }
    }

    private static CellResult run(Workload work, Duration window, long requests) throws Exception {
        Cell cell = new Cell("", 1, 0, 0, Protocol.H2C, STREAMS, work);
        return new CellRun(
                        cell,
                        CellRunTest.settings(Duration.ZERO, window, requests),
                        null,
                        (warmingUp, seconds, left, asked, bytes, errors) -> {})
                .run(0);
    }

    private static Workload asking(Http2TestServer server) {
        return new CellRunTest.Asking(Target.of(server.url("/")), new CellRunTest.Failing(0));
    }

    @Test
    void theLongestLatenciesEndAfterTheWindow() throws Exception {
        try (Http2TestServer server = Http2TestServer.clear(new Slowing(8, 3500), 128)) {
            CellResult result = run(asking(server), Duration.ofSeconds(2), 0);
            assertEquals(8, result.counts().requests());
            assertEquals(8 + STREAMS, result.times().latency().count());
            assertTrue(result.times().latency().max() >= 3_500_000, result.times()::toString);
        }
    }
}
