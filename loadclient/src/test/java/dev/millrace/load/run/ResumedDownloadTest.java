package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.Request;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsSettings;
import dev.millrace.load.run.RunSettings.Limits;
import dev.millrace.load.run.RunSettings.Warmup;
import dev.millrace.load.scenario.Script;
import dev.millrace.load.scenario.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A download that is broken off and resumed counts as one download. */
class ResumedDownloadTest {

    private static final int WHOLE = 150_000;
    private static final int LEFT = 50_000;

    private final long before = System.nanoTime();
    private final Parts parts = new Parts();
    private TestServer server;
    private Runnable afterFirst = () -> {};
    private Failure end;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer((request, out, socket) ->
                TestServer.send(out, "200 OK", "x/y", new byte[request.target().equals("/rest") ? LEFT : WHOLE]));
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    /** Makes two calls for each download, of which the first is broken off, and notes the times of its steps. */
    private final class Parts implements Workload, Script, ResponseCheck {

        private boolean broken;
        private boolean second;
        private long firstBegan;
        private long firstBody;
        private long stopped;
        private long secondBegan;
        private long received;

        @Override
        public Target target() {
            return Target.of(server.url("/"));
        }

        @Override
        public Map<String, String> parameters() {
            return Map.of();
        }

        @Override
        public boolean countsBytes() {
            return true;
        }

        @Override
        public int readBufferBytes() {
            return 1000;
        }

        @Override
        public Script script(long seed) {
            return this;
        }

        @Override
        public Call next() {
            second = broken;
            broken = false;
            Target asked = Target.of(server.url(second ? "/rest" : "/"));
            return new Call(new Request("GET", asked, true, List.of(), null), this, 1, second ? 0 : 10);
        }

        @Override
        public void begin(ResponseHead head) {
            if (second) {
                secondBegan = System.nanoTime();
            } else {
                firstBegan = System.nanoTime();
            }
        }

        @Override
        public void body(byte[] bytes, int offset, int length) {
            if (!second && firstBody == 0) {
                firstBody = System.nanoTime();
            }
            received += length;
        }

        /** Waits longer than the download has taken so far, so that a wrong starting moment is visible. */
        @Override
        public void stopped() {
            broken = true;
            while (System.nanoTime() - firstBody < 2 * (firstBody - before)) {
                Thread.onSpinWait();
            }
            afterFirst.run();
            stopped = System.nanoTime();
        }

        @Override
        public Failure end() {
            return end;
        }
    }

    private CellResult run(double rate) throws Exception {
        RunSettings settings = new RunSettings(
                Warmup.of(Duration.ZERO),
                Duration.ofSeconds(20),
                1,
                Duration.ofSeconds(20),
                Duration.ofSeconds(20),
                Duration.ZERO,
                1,
                0,
                0,
                List.of(),
                TlsSettings.ofJdk(),
                Limits.NONE);
        return new CellRun(
                        new Cell("", 1, rate, 0, parts),
                        settings,
                        null,
                        (warmingUp, seconds, left, requests, bytes, errors) -> {})
                .run(0);
    }

    /** The upper bound of a time in a result, which is rounded and exact to a thousandth. */
    private static void assertAtMost(long nanos, double micros) {
        assertTrue(micros <= nanos / 1000.0 * 1.002 + 1, micros + " us of " + nanos + " ns");
    }

    @Test
    void theSecondConnectIsMeasuredByItself() throws Exception {
        Percentiles connect = run(0).times().connect();
        assertEquals(2, connect.count());
        assertAtMost(parts.firstBegan - before + parts.secondBegan - parts.stopped, connect.mean() * 2);
    }

    @Test
    void firstBytesAreThoseOfTheFirstPart() throws Exception {
        CellResult result = run(0);
        assertEquals(1, result.times().firstByte().count());
        assertAtMost(parts.firstBegan - before, result.times().headerByte().max());
        assertAtMost(parts.firstBody - before, result.times().firstByte().max());
        assertAtMost(parts.firstBody - before, result.sizes().get(0).init().max());
    }

    @Test
    void bytesAreThoseOfBothParts() throws Exception {
        CellResult result = run(0);
        assertEquals(1, result.sizes().size());
        assertEquals(parts.received, result.sizes().get(0).size());
        assertEquals(parts.received, result.counts().bytes());
    }

    @Test
    void aRequestOfTheClockWasSentWithItsFirstPart() throws Exception {
        Times times = run(1000).times();
        assertAtMost(parts.firstBegan - before, times.lateness().max());
        assertAtMost(parts.firstBody - before, times.firstByte().max());
        assertTrue(
                times.raw().max() * 1000 * 1.002 >= parts.secondBegan - parts.firstBegan,
                times.raw().toString());
    }

    @Test
    void noByteCountsOfADownloadWhoseRestIsWrong() throws Exception {
        end = new Failure(FailureKind.WRONG_DIGEST, "wrong");
        CellResult result = run(0);
        assertEquals(new FailureCount(1, "wrong"), result.errors().get("wrong digest"));
        assertEquals(0, result.counts().bytes());
    }

    private void takeServerAway() {
        try {
            server.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void noByteCountsOfADownloadThatCannotGoOn() throws Exception {
        afterFirst = this::takeServerAway;
        CellResult result = run(0);
        assertEquals(1, result.errors().get("connect").count());
        assertEquals(0, result.counts().bytes());
        assertTrue(!parts.broken, "its rest is not the next download");
    }
}
