package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Times;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --fail-if} decides the exit code. */
class GateTest {

    private static Cli run(String... gates) throws IOException {
        return run(200, gates);
    }

    private static Cli run(int requests, String... gates) throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            String[] all = new String[gates.length + 6];
            System.arraycopy(
                    new String[] {"uuid", "-c=1", "-n=" + requests, "--warmup=0s", "-q", server.url("/generate-uuid")},
                    0,
                    all,
                    0,
                    6);
            for (int i = 0; i < gates.length; i++) {
                all[6 + i] = "--fail-if=" + gates[i];
            }
            return Cli.run(all);
        }
    }

    @Test
    void aRunWithinItsBoundsPasses() throws IOException {
        Cli cli = run("p99>60s", "max > 60s", "errors>0", "throughput<0.01");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
    }

    @Test
    void aRunBeyondOneOfItsBoundsFailsAndSaysWhich() throws IOException {
        Cli cli = run("p50>60s", "p99>0.001us", "throughput<100000000");
        assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
        assertTrue(
                cli.err().matches("(?s).*c=1 GET ka=on RANDOM n=1: p99 is \\S+ ms, --fail-if 'p99>0.001us'.*"),
                cli.err());
        assertTrue(cli.err().contains("throughput is "), cli.err());
        assertTrue(!cli.err().contains("p50 is"), cli.err());
    }

    private static Cli run(String gate, TestServer server) {
        String cpu = "--server-cpu-url=" + server.url("/cpu");
        return Cli.run("http", "-c=1", "-n=20", "--warmup=0s", "-q", cpu, "--fail-if=" + gate, server.url("/"));
    }

    @Test
    void theServersCpuForEachRequestHasABound() throws IOException {
        // It tells a millisecond for each request. At the ends of the window one more or less may count.
        try (TestServer server = TogetherTest.server("0.001", "200 OK")) {
            Cli within = run("cpu>2ms", server);
            assertEquals(ExitCode.GOOD, within.code(), within.err());
            Cli beyond = run("cpu>500us", server);
            assertEquals(ExitCode.ERRORS, beyond.code());
            assertTrue(
                    beyond.err().matches("loadclient: c=1 GET ka=on /: cpu is [0-9.]+ us, --fail-if 'cpu>500us'\\R"),
                    beyond.err());
        }
    }

    @Test
    void whatIsNotKnownFails() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            boolean told = !request.target().equals("/cpu") || asked.incrementAndGet() == 1;
            TestServer.send(out, told ? "200 OK" : "503 Service Unavailable", "text/plain", "1".getBytes(US_ASCII));
        })) {
            Cli cli = run("cpu>30us", server);
            assertEquals(ExitCode.ERRORS, cli.code());
            assertTrue(cli.err().contains("c=1 GET ka=on /: cpu is not known, --fail-if 'cpu>30us'"), cli.err());
        }
    }

    /** One long wait among a few answers would be called their 99th percentile, and a lucky few would pass. */
    @Test
    void aPercentileOfTooFewAnswersFails() throws IOException {
        Cli cli = run(20, "p99>60s", "p999>60s", "p90>60s", "p50>60s", "max>60s");
        assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
        assertEquals(2, cli.err().lines().count(), cli.err());
        for (String part : List.of(
                "p99 is not known: it takes 100 answers, and there are 20, --fail-if 'p99>60s'",
                "p999 is not known: it takes 1000 answers, and there are 20, --fail-if 'p999>60s'")) {
            assertTrue(cli.err().contains("c=1 GET ka=on RANDOM n=1: " + part), cli.err());
        }
    }

    @Test
    void aRepetitionWithTooFewAnswersIsNotLeftOut() {
        List<CellResult> repetitions = List.of(withMax(0, 10), with(1, 99, 10));
        assertEquals(
                "p99 is not known: it takes 100 answers in each repetition, and there are 99, --fail-if 'p99>1s'",
                Gate.of("p99>1s").failure(repetitions));
        assertNull(Gate.of("p90>1s").failure(repetitions));
        assertNull(Gate.of("p50>1s").failure(List.of(with(0, 1, 10))));
    }

    private static CellResult withMax(int repetition, double maxMicros) {
        return with(repetition, 1000, maxMicros);
    }

    private static CellResult with(int repetition, long answers, double maxMicros) {
        CellResult cell = CompareTest.cell("", repetition, 1000, 1);
        Percentiles times = new Percentiles(answers, 2, 1.0, 3.0, 4.0, 5.0, maxMicros);
        return new CellResult(
                "",
                cell.parameters(),
                repetition,
                cell.model(),
                false,
                cell.windowSeconds(),
                cell.counts(),
                Map.of(),
                new Times(times, null, times, times, times, null),
                List.of(),
                cell.cpu(),
                cell.series(),
                "",
                "ok",
                List.of());
    }

    @Test
    void oneLongWaitAmongManyRepetitionsIsTheMaximum() {
        List<CellResult> repetitions = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            repetitions.add(withMax(i, i == 4 ? 9_000_000 : 100_000));
        }
        assertEquals("max is 9000 ms, --fail-if 'max>1s'", Gate.of("max>1s").failure(repetitions));
        assertNull(Gate.of("max>10s").failure(repetitions));
        assertNull(Gate.of("p99>1s").failure(repetitions));
    }

    @Test
    void figuresHaveNoExponent() {
        assertEquals("3", Gate.of("errors>0").shown(3));
        assertEquals("1234.57", Gate.of("throughput<1").shown(1234.5678));
        assertEquals("1000000", Gate.of("throughput<1").shown(1e6));
        assertEquals("1200 us", Gate.of("cpu>1ms").shown(1200));
        assertEquals("0.05 ms", Gate.of("p99>50ms").shown(50));
    }

    @ParameterizedTest
    @CsvSource({"p99>0.4ms, 400", "p99>1.5ms, 1500", "max>0.0005s, 500", "p50>2ms, 2000", "p50>0.1m, 6000000"})
    void partsOfAMillisecondCount(String gate, double micros) {
        assertEquals(micros, Gate.of(gate).bound(), 1e-6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"p99", "p99>50", "p98>1ms", "errors>1ms", "cpu>3", "p99=1ms"})
    void otherFormsAreUsageErrors(String gate) throws IOException {
        Cli cli = run(gate);
        assertEquals(ExitCode.USAGE, cli.code());
        assertTrue(cli.err().contains("--fail-if: '" + gate + "' is not of the form"), cli.err());
    }
}
