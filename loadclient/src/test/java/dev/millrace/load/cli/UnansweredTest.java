package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests without a right answer have no latency, and those that waited longest are among them: no percentile may leave them out. */
class UnansweredTest {

    /** A server that leaves every tenth request without an answer. */
    private static TestServer server() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        return new TestServer((request, out, socket) -> {
            if (asked.incrementAndGet() % 10 != 0) {
                TestServer.send(out, "200 OK", "text/plain", "hello".getBytes(US_ASCII));
            }
        });
    }

    @Test
    void forgivenTimeoutsAreNotLeftOut() throws IOException {
        try (TestServer server = server()) {
            Cli cli = Cli.run(
                    "http",
                    "-q",
                    "-c=10",
                    "-n=120",
                    "--warmup=0s",
                    "--timeout=1s",
                    "--max-errors=1000",
                    "--fail-if=p99>50s",
                    "--fail-if=p50>60s",
                    server.url("/"));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.out() + cli.err());
            assertTrue(cli.err().contains("p99 is not known: "), cli.err());
            assertEquals(
                    1,
                    cli.err().lines().filter(line -> line.contains("--fail-if")).count(),
                    "the median is known where a tenth has no answer: " + cli.err());
        }
    }

    @Test
    void whatAShortDrainLeavesUnansweredIsNotLeftOut() throws IOException {
        try (TestServer server = server()) {
            Cli cli = Cli.run(
                    "http", "-q", "-c=30", "-d=1s", "--warmup=0s", "--drain=0s", "--fail-if=p99>50s", server.url("/"));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.out() + cli.err());
            assertTrue(cli.err().contains("p99 is not known: "), cli.err());
        }
    }

    @Test
    void aConnectionThatIsNotClosedIsToldAsThat() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            TestServer.send(out, "200 OK", "text/plain", "hello".getBytes(US_ASCII));
            while (socket.getInputStream().read() >= 0) {
                // The client closes first.
            }
        })) {
            Cli cli = Cli.run(
                    "http", "-q", "-c=1", "-n=1", "--warmup=0s", "--timeout=4s", "--keepalive=off", server.url("/"));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            assertFalse(cli.err().contains("no whole answer"), cli.err());
            assertTrue(cli.err().contains("the server has not closed the connection within 4000 ms"), cli.err());
        }
    }

    /** A wrong answer is an answer: the client that waits behind it, as for a server that is gone, measures its own waits. */
    @Test
    void wrongAnswersDoNotMakeTheClientWait() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) ->
                TestServer.send(out, "503 Service Unavailable", "text/plain", "busy".getBytes(US_ASCII)))) {
            long begin = System.nanoTime();
            Cli.run("http", "-q", "-c=1", "-n=60", "--warmup=0s", "--max-errors=1000", server.url("/"));
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
            assertTrue(seconds < 30, seconds + " s: the waits would take more than a minute");
        }
    }
}
