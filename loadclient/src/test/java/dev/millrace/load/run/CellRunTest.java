package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.host.ServerCpu;
import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Request;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsSettings;
import dev.millrace.load.run.RunSettings.Limits;
import dev.millrace.load.run.RunSettings.Warmup;
import dev.millrace.load.scenario.Script;
import dev.millrace.load.scenario.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Cells whose clients meet failing servers and checks, and cells that are stopped early. */
@Execution(ExecutionMode.CONCURRENT)
class CellRunTest {

    private static final ProgressListener SILENT = (warmingUp, seconds, left, requests, bytes, errors) -> {};

    /** Requests for one URL, whose answers go to a check. */
    record Asking(Target target, ResponseCheck check, boolean countsBytes) implements Workload {

        Asking(Target target, ResponseCheck check) {
            this(target, check, false);
        }

        @Override
        public Map<String, String> parameters() {
            return Map.of();
        }

        @Override
        public Script script(long seed) {
            Request request = new Request("GET", target, true, List.of(), null);
            return () -> new Call(request, check);
        }
    }

    /** A check that throws for the first answers, as a faulty one would. */
    static class Failing implements ResponseCheck {

        private int left;

        Failing(int times) {
            left = times;
        }

        @Override
        public void begin(ResponseHead head) {
            if (left-- > 0) {
                throw new IllegalStateException("no such place");
            }
        }

        @Override
        public void body(byte[] bytes, int offset, int length) {
            // Any body is accepted.
        }

        @Override
        public Failure end() {
            return null;
        }
    }

    private static RunSettings settings(Duration window, long requests) {
        return settings(Duration.ZERO, window, requests);
    }

    static RunSettings settings(Duration warmup, Duration window, long requests) {
        return settings(Warmup.of(warmup), window, requests);
    }

    private static RunSettings settings(Warmup warmup, Duration window, long requests) {
        return new RunSettings(
                warmup,
                window,
                requests,
                Duration.ofSeconds(20),
                Duration.ofSeconds(20),
                Duration.ZERO,
                1,
                0,
                0,
                List.of(),
                TlsSettings.ofJdk(),
                Limits.NONE);
    }

    @Test
    void aFaultOfThisProgramIsCountedAndTheClientGoesOn() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            connections.incrementAndGet();
            TestServer.send(out, "200 OK", "x/y", new byte[10]);
        })) {
            Cell cell = new Cell("", 1, 0, 0, new Asking(Target.of(server.url("/")), new Failing(2)));
            CellResult result = new CellRun(cell, settings(Duration.ofSeconds(20), 5), null, SILENT).run(0);
            assertEquals(
                    new FailureCount(2, "java.lang.IllegalStateException: no such place"),
                    result.errors().get("other"));
            assertEquals(3, result.counts().requests());
            assertEquals(3, result.counts().connections(), "what is left of such an exchange is not read");
            assertEquals(5, connections.get());
        }
    }

    @Test
    void aThrottledClientReadsAQuantumAtOnce() throws Exception {
        assertEquals(1000, mostReadAtOnce(1000));
        assertEquals(50_000, mostReadAtOnce(50_000));
        assertEquals(Throttle.quantum(200_000), mostReadAtOnce(0), "a sixteenth of a second's");
    }

    private static int mostReadAtOnce(int quantumBytes) throws Exception {
        AtomicInteger most = new AtomicInteger();
        ResponseCheck check = new Failing(0) {
            @Override
            public void body(byte[] bytes, int offset, int length) {
                most.accumulateAndGet(length, Math::max);
            }
        };
        try (TestServer server =
                new TestServer((request, out, socket) -> TestServer.send(out, "200 OK", "x/y", new byte[150_000]))) {
            Cell cell = new Cell("", 1, 0, 200_000, new Asking(Target.of(server.url("/")), check, true));
            RunSettings settings = new RunSettings(
                    Warmup.of(Duration.ZERO),
                    Duration.ofSeconds(20),
                    1,
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(20),
                    Duration.ZERO,
                    1,
                    0,
                    quantumBytes,
                    List.of(),
                    TlsSettings.ofJdk(),
                    Limits.NONE);
            new CellRun(cell, settings, null, SILENT).run(0);
        }
        return most.get();
    }

    @Test
    void nothingIsSentWhileTheWarmUpRests() throws Exception {
        long silenceNanos = Duration.ofMillis(300).toNanos();
        AtomicReference<Long> last = new AtomicReference<>();
        AtomicInteger silences = new AtomicInteger();
        try (TestServer server = new TestServer(TestServer.unhurried((request, out, socket) -> {
            long now = System.nanoTime();
            Long before = last.getAndSet(now);
            // A slow start is no pause.
            if (before != null && now - before > silenceNanos) {
                silences.incrementAndGet();
            }
            TestServer.send(out, "200 OK", "x/y", new byte[10]);
        }))) {
            Cell cell = new Cell("", 1, 0, 0, new Asking(Target.of(server.url("/")), new Failing(0)));
            // The window is as long as a busy machine may take for a request.
            RunSettings settings =
                    settings(Warmup.of(2, Duration.ofMillis(1500), Duration.ofSeconds(2)), Duration.ofSeconds(2), 0);
            CellResult result = new CellRun(cell, settings, null, SILENT).run(0);
            assertTrue(silences.get() >= 2, "a rest after each burst, of " + silences);
            assertTrue(result.counts().requests() > 0, "the window ends the last one");
        }
    }

    @Test
    void aCellThatIsEndedEarlySaysJustThat() throws Exception {
        try (TestServer server =
                new TestServer((request, out, socket) -> socket.getInputStream().read())) {
            Cell cell = new Cell("", 2, 0, 0, new Asking(Target.of(server.url("/")), new Failing(0)));
            AtomicReference<CellRun> run = new AtomicReference<>();
            run.set(new CellRun(
                    cell,
                    settings(Duration.ofMinutes(2), 0),
                    null,
                    (warmingUp, seconds, left, requests, bytes, errors) -> {
                        if (server.requests().size() == 2) {
                            run.get().stop();
                        }
                    }));
            CellResult result = run.get().run(0);
            assertEquals("invalid: stopped early", result.verdict());
            assertEquals("stopped early", run.get().flaw());
            assertEquals(2, result.counts().cutOff());
            assertEquals(List.of(), result.notes());
            assertTrue(result.windowSeconds() < 60, "ends at once");
            assertNull(result.times().raw());
        }
    }

    @Test
    void aWarmUpThatIsEndedEarlyIsNotCalledSteady() throws Exception {
        try (TestServer server =
                new TestServer((request, out, socket) -> TestServer.send(out, "200 OK", "x/y", new byte[10]))) {
            Duration minute = Duration.ofMinutes(1);
            RunSettings settings = settings(Warmup.detected(Duration.ofMillis(10), minute), minute, 0);
            AtomicReference<CellRun> run = new AtomicReference<>();
            run.set(new CellRun(
                    new Cell("", 1, 0, 0, new Asking(Target.of(server.url("/")), new Failing(0))),
                    settings,
                    null,
                    (warmingUp, seconds, left, requests, bytes, errors) ->
                            run.get().stop()));
            CellResult result = run.get().run(0);
            assertEquals("invalid: stopped early", result.verdict());
            assertEquals(
                    List.of(),
                    result.notes().stream()
                            .filter(note -> note.contains("steady"))
                            .toList());
        }
    }

    /** A download ends every few seconds, while the same number of bytes comes in each. */
    @Test
    void aWarmUpWithDownloadsIsSteadyWhenTheirBytesAre() throws Exception {
        List<Long> bytes = new CopyOnWriteArrayList<>();
        try (TestServer server =
                new TestServer((request, out, socket) -> TestServer.send(out, "200 OK", "x/y", new byte[2_500_000]))) {
            RunSettings settings = new RunSettings(
                    Warmup.detected(Duration.ofMillis(10), Duration.ofSeconds(6)),
                    Duration.ofMillis(100),
                    0,
                    Duration.ofSeconds(20),
                    Duration.ZERO,
                    Duration.ZERO,
                    1,
                    0,
                    2000,
                    List.of(),
                    TlsSettings.ofJdk(),
                    Limits.NONE);
            Cell cell = new Cell("", 1, 0, 1_000_000, new Asking(Target.of(server.url("/")), new Failing(0), true));
            CellRun run = new CellRun(cell, settings, null, (warmingUp, seconds, left, requests, received, errors) -> {
                if (warmingUp) {
                    bytes.add(received);
                }
            });
            run.run(0);
            List<Long> requests = List.of(0L, 1L);
            assertSame(bytes, run.judged(requests, bytes));
        }
        assertTrue(bytes.stream().mapToLong(Long::longValue).sum() > 0, "no bytes while warming up");
    }

    @Test
    void aWarmUpOfRequestsIsSteadyWhenTheirNumberIs() throws Exception {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cell cell = new Cell("", 1, 0, 0, new Asking(Target.of(server.url("/")), new Failing(0), false));
            List<Long> requests = List.of(1L);
            CellRun run = new CellRun(cell, settings(Duration.ofMillis(100), 0), null, SILENT);
            assertSame(requests, run.judged(requests, List.of(2L)));
        }
    }

    @Test
    void anAnswerOfAnEmptyFileIsAResult() throws Exception {
        try (TestServer server =
                new TestServer((request, out, socket) -> TestServer.send(out, "200 OK", "x/y", new byte[0]))) {
            Cell cell = new Cell("", 1, 0, 0, new Asking(Target.of(server.url("/")), new Failing(0), true));
            RunSettings settings = settings(Duration.ofSeconds(20), 3);
            CellResult result = new CellRun(cell, settings, null, SILENT).run(0);
            assertEquals(3, result.counts().requests());
            assertTrue(result.windowSeconds() < 20, "it stayed open until the timeout");
            assertTrue(result.valid(), result.verdict());
        }
    }

    /** A server that was started anew in the window: its CPU time begins again. */
    private static ServerCpu restarted() {
        AtomicLong used = new AtomicLong(100_000_000_000L);
        return new ServerCpu() {
            @Override
            public OptionalLong nanos() {
                return OptionalLong.of(used.addAndGet(-10_000_000_000L));
            }

            @Override
            public boolean isOnThisMachine() {
                return true;
            }
        };
    }

    @Test
    void theTimeOfAServerThatWasStartedAnewIsNotKnown() throws Exception {
        CellResult result = measured(restarted());
        assertNull(result.cpu().server());
        assertTrue(
                result.notes().contains("the server's CPU time could not be read"),
                result.notes().toString());
    }

    /** A server that uses a second of CPU between two readings, of which its compilers use so many milliseconds. */
    private static ServerCpu compiling(long millis) {
        AtomicLong used = new AtomicLong();
        AtomicLong compiled = new AtomicLong();
        return new ServerCpu() {
            @Override
            public OptionalLong nanos() {
                return OptionalLong.of(used.addAndGet(1_000_000_000));
            }

            @Override
            public boolean isOnThisMachine() {
                return true;
            }

            @Override
            public long compilerNanos() {
                return compiled.addAndGet(millis * 1_000_000);
            }
        };
    }

    private static CellResult measured(ServerCpu account) throws Exception {
        try (TestServer server =
                new TestServer((request, out, socket) -> TestServer.send(out, "200 OK", "x/y", new byte[10]))) {
            Cell cell = new Cell("", 1, 0, 0, new Asking(Target.of(server.url("/")), new Failing(0)));
            return new CellRun(cell, settings(Duration.ofSeconds(20), 3), account, SILENT).run(0);
        }
    }

    @Test
    void aServerThatStillCompilesIsTold() throws Exception {
        String told = "the server still compiled in this window: 6 % of its CPU";
        assertTrue(measured(compiling(60)).notes().contains(told));
        assertFalse(measured(compiling(40)).notes().toString().contains("compiled"));
    }

    /** A machine may give the program no processor for a while. */
    @Test
    void afterAPauseEachSampleIsThatOfASecond() throws Exception {
        AtomicLong last = new AtomicLong();
        AtomicLong longest = new AtomicLong();
        try (TestServer server = new TestServer((request, out, socket) -> {
            long now = System.nanoTime();
            longest.accumulateAndGet(now - last.getAndSet(now), Math::max);
            TestServer.send(out, "200 OK", "x/y", new byte[10]);
        })) {
            CellResult result;
            // A pause of the client or the server is not the one of the test: it moves requests to the next second.
            do {
                longest.set(0);
                last.set(System.nanoTime());
                result = sampledAfterAPause(server);
            } while (longest.get() > Duration.ofMillis(300).toNanos());
            List<Long> series = result.series().requests();
            assertTrue(series.size() >= 5 && series.size() <= result.windowSeconds(), series.toString());
            series.forEach(count -> assertTrue(count > 60 && count < 140, series.toString()));
        }
    }

    private static CellResult sampledAfterAPause(TestServer server) throws Exception {
        Cell cell = new Cell("", 1, 100, 0, new Asking(Target.of(server.url("/")), new Failing(0)));
        AtomicInteger ticks = new AtomicInteger();
        ProgressListener pausing = (warmingUp, seconds, left, requests, bytes, errors) -> {
            if (ticks.incrementAndGet() == 1) {
                LockSupport.parkNanos(Duration.ofMillis(2500).toNanos());
            }
        };
        return new CellRun(cell, settings(Duration.ofSeconds(5), 0), null, pausing).run(0);
    }
}
