package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.Http2TestServer;
import dev.millrace.load.TestServer;
import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.Target;
import dev.millrace.load.scenario.Workload;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A rest between two bursts of the warm-up begins while requests are under way. */
class StreamsRestTest {

    private static final int STREAMS = 4;
    private static final long REST_MILLIS = 3000;

    /** Answers at once. The rest begins at its eighth request. */
    private static final class Resting extends Handler.Abstract {

        private final CellClock clock;
        private final AtomicInteger asked = new AtomicInteger();
        private final CountDownLatch rests = new CountDownLatch(1);

        Resting(CellClock clock) {
            this.clock = clock;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            if (asked.incrementAndGet() == 2 * STREAMS) {
                clock.rest(true);
                rests.countDown();
            }
            response.write(true, ByteBuffer.wrap(new byte[10]), callback);
            return true;
        }
    }

    @Test
    @Timeout(60)
    void answersThatComeInARestAreReadInIt() throws Exception {
        CellClock clock = new CellClock(0);
        Resting handler = new Resting(clock);
        try (Http2TestServer server = Http2TestServer.clear(handler, 128)) {
            Workload work = new CellRunTest.Asking(Target.of(server.url("/")), new CellRunTest.Failing(0));
            Cell cell = new Cell("", 1, 0, 0, Protocol.H2C, STREAMS, work);
            RunSettings settings = CellRunTest.settings(Duration.ZERO, Duration.ofSeconds(20), 0);
            Recording recording = new Recording();
            StreamsClient client =
                    new StreamsClient(cell, 0, settings, clock, CellRun.sockets(cell, 0, settings), recording);
            Thread thread = new Thread(client);
            thread.start();
            clock.start(System.nanoTime());
            handler.rests.await();
            TestServer.takeTime(REST_MILLIS * 1_000_000);
            clock.openWindow(System.nanoTime());
            TestServer.takeTime(100_000_000);
            clock.closeWindow(System.nanoTime());
            thread.join();
            Percentiles latency = recording.times().latency();
            assertTrue(latency.count() > 0, "nothing was measured");
            assertTrue(latency.max() < REST_MILLIS * 1000 * 0.9, () -> "the rest is no latency: " + latency);
        }
    }
}
