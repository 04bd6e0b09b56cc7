package dev.millrace.load.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.HttpConnection;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.Timing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Pipelined requests are answered in turn, and every answer is compared. */
class FixedWorkloadTest {

    private static final byte[] CONTENT = TestFiles.content(808);

    private final AtomicLong bytes = new AtomicLong();

    private Failure exchange(int pipeline, TestServer.Behaviour behaviour) throws IOException {
        try (TestServer server = new TestServer(behaviour)) {
            FixedWorkload work = new FixedWorkload(Target.of(server.url("/files/808B.bin")), CONTENT, pipeline, false);
            SocketSettings settings = new SocketSettings(null, 0, 5000);
            try (HttpConnection connection =
                    HttpConnection.open(work.target().address(), settings, new byte[work.readBufferBytes()])) {
                return connection.exchange(work.script(1).next(), new Timing(), bytes::addAndGet);
            }
        }
    }

    @Test
    void bytesBehindAnAnswerAreNotTheNextOne() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            ByteArrayOutputStream twice = new ByteArrayOutputStream();
            TestServer.send(twice, "200 OK", "x/y", CONTENT);
            TestServer.send(twice, "200 OK", "x/y", CONTENT);
            out.write(twice.toByteArray());
        })) {
            FixedWorkload work = new FixedWorkload(Target.of(server.url("/")), CONTENT, 1, false);
            try (HttpConnection connection = HttpConnection.open(
                    work.target().address(), new SocketSettings(null, 0, 5000), new byte[work.readBufferBytes()])) {
                assertNull(connection.exchange(work.script(1).next(), new Timing(), bytes::addAndGet));
                assertTrue(connection.reusable());
                IOException surplus = assertThrows(
                        IOException.class,
                        () -> connection.exchange(work.script(1).next(), new Timing(), bytes::addAndGet));
                assertEquals(
                        FailureKind.WRONG_CONTENT, Failure.ofExchange(surplus).kind());
                assertEquals(length(CONTENT) + " surplus bytes after the answer before", surplus.getMessage());
                assertFalse(connection.reusable());
                assertEquals(1, server.requests().size(), "nothing is asked any more");
            }
        }
    }

    /** The length of an answer with this content, in bytes. */
    private static int length(byte[] content) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        TestServer.send(answer, "200 OK", "x/y", content);
        return answer.size();
    }

    @Test
    void allAnswersAreReadAndRight() throws IOException {
        assertNull(exchange(16, (request, out, socket) -> TestServer.send(out, "200 OK", "x/y", CONTENT)));
        assertEquals(16 * 808, bytes.get());
    }

    @Test
    void oneWrongByteInOneAnswerIsFound() throws IOException {
        AtomicInteger number = new AtomicInteger();
        Failure failure = exchange(16, (request, out, socket) -> {
            byte[] content = CONTENT.clone();
            content[800] ^= number.incrementAndGet() == 7 ? (byte) 1 : 0;
            TestServer.send(out, "200 OK", "x/y", content);
        });
        assertEquals(FailureKind.WRONG_CONTENT, failure.kind());
    }

    @Test
    void surplusAndMissingBytesAndOtherStatusesAreFound() throws IOException {
        assertEquals(
                FailureKind.WRONG_CONTENT,
                exchange(1, (request, out, socket) -> TestServer.send(out, "200 OK", "x/y", TestFiles.content(900)))
                        .kind());
        assertEquals(
                FailureKind.SHORT_BODY,
                exchange(2, (request, out, socket) -> TestServer.send(out, "200 OK", "x/y", new byte[3]))
                        .kind());
        assertEquals(
                FailureKind.STATUS,
                exchange(2, (request, out, socket) -> TestServer.send(out, "404 Not Found", "x/y", CONTENT))
                        .kind());
    }
}
