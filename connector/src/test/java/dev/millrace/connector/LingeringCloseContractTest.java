package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An answer that was written whole arrives whole, though the peer has sent more than anybody read: a close must not reset it
 * (RFC 9112 section 9.6). Jetty's own connector, the control, reads 8 KiB at once, and takes what is pipelined with that; of what
 * comes later it reads nothing, and so cannot pass those cases.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class LingeringCloseContractTest {
    private static final int ONE_MIB = 1 << 20;
    private static final int TWENTY_MIB = 20 << 20;
    private static final int PIPELINED_BYTES = 400;
    private static final int LATE_BYTES = 500;
    private static final int READ_BYTES = 16 * 1024;
    private static final int UPLOAD_BYTES = 8 << 20;
    private static final int SMALL_SOCKET_BUFFER_BYTES = 4096;
    /** The pace of a slow reader: it stands for no event. */
    private static final long PAUSE_NANOS = 200_000;

    @TempDir
    static Path directory;

    private static byte[] one;
    private static byte[] twenty;
    private static Tls tls;

    @Parameter
    Connectors connectors;

    /** Where the content of an answer lies. */
    enum Source {
        MEMORY,
        FILE
    }

    /** How a client takes its answer. */
    enum Pace {
        FAST,
        SLOW;

        RawClient client(TestServer server) throws Exception {
            return this == FAST ? server.client() : new RawClient(server.port(), SMALL_SOCKET_BUFFER_BYTES);
        }

        void pause() {
            if (this == SLOW) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** What a client does after each read. */
    private interface Step {
        void take() throws Exception;
    }

    /** Answers without a look at the request's content, but for {@code /read}. */
    private static Handler application() {
        SendfileHandler files = Handlers.files(directory);
        return Handlers.around(files, (request, response, callback) -> {
            switch (Request.getPathInContext(request)) {
                case "/MEMORY" -> response.write(true, ByteBuffer.wrap(one), callback);
                case "/MEMORY20" -> response.write(true, ByteBuffer.wrap(twenty), callback);
                case "/async" -> new Thread(() -> response.write(true, ByteBuffer.wrap(one), callback)).start();
                case "/read" -> Content.Source.consumeAll(request, callback);
                case "/refused" -> {
                    response.setStatus(HttpStatus.PAYLOAD_TOO_LARGE_413);
                    response.getHeaders().put(HttpHeader.CONNECTION, "close");
                    response.write(true, ByteBuffer.wrap(one), callback);
                }
                default -> {
                    return files.handle(request, response, callback);
                }
            }
            return true;
        });
    }

    @BeforeAll
    static void write() throws Exception {
        one = TestFiles.write(directory, "FILE", ONE_MIB);
        twenty = TestFiles.write(directory, "FILE20", TWENTY_MIB);
        tls = new Tls();
    }

    private TestServer start() throws Exception {
        return new TestServer(connectors::http).expectMalformedRequests().start(application());
    }

    private TestServer startTls() throws Exception {
        return new TestServer(s -> connectors.https(s, tls))
                .expectMalformedRequests()
                .start(application());
    }

    private static String get(String path, String version, String... fields) {
        StringBuilder request = new StringBuilder("GET " + path + " " + version + "\r\nHost: localhost\r\n");
        for (String field : fields) {
            request.append(field).append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    private static String closing(String path) {
        return get(path, "HTTP/1.1", "Connection: close");
    }

    private static void readHead(RawClient client, int status) throws IOException {
        assertEquals(status, Integer.parseInt(client.line().split(" ")[1]));
        while (!client.line().isEmpty()) {
            // The fields.
        }
    }

    /** Reads so many bytes or to the end, and counts a reset as one: what is missing tells more than the exception. */
    private static byte[] read(RawClient client, int bytes, Step step) throws Exception {
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        byte[] buffer = new byte[READ_BYTES];
        while (received.size() < bytes) {
            int read;
            try {
                read = client.in().read(buffer, 0, Math.min(buffer.length, bytes - received.size()));
            } catch (SocketException reset) {
                break;
            }
            if (read < 0) {
                break;
            }
            received.write(buffer, 0, read);
            step.take();
        }
        return received.toByteArray();
    }

    private static void assertWhole(byte[] content, RawClient client, Step step) throws Exception {
        byte[] received = read(client, content.length, step);
        assertEquals(content.length, received.length, "bytes before the end");
        assertArrayEquals(content, received);
    }

    /** That the answer was all, and that no reset ends the connection. */
    private static void assertEnds(RawClient client) throws IOException {
        assertEquals(-1, client.in().read());
    }

    /** Sends on, whether the server reads it or not: nobody must notice. */
    private static void sendLate(RawClient client) throws IOException {
        client.send(new byte[LATE_BYTES]);
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, FAST", "MEMORY, SLOW", "FILE, FAST", "FILE, SLOW"})
    void answersBeforeWhatIsPipelined(Source source, Pace pace) throws Exception {
        try (TestServer server = start();
                RawClient client = pace.client(server)) {
            client.send(closing("/" + source) + "x".repeat(PIPELINED_BYTES));
            readHead(client, 200);
            assertWhole(one, client, pace::pause);
            assertEnds(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void answersALargeOneToASlowReader(Source source) throws Exception {
        try (TestServer server = start();
                RawClient client = Pace.SLOW.client(server)) {
            client.send(closing("/" + source + "20") + "x".repeat(PIPELINED_BYTES));
            readHead(client, 200);
            assertWhole(twenty, client, () -> {});
            assertEnds(client);
        }
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, FAST", "MEMORY, SLOW", "FILE, FAST", "FILE, SLOW"})
    void answersInVersion10(Source source, Pace pace) throws Exception {
        try (TestServer server = start();
                RawClient client = pace.client(server)) {
            client.send(get("/" + source, "HTTP/1.0") + "x".repeat(PIPELINED_BYTES));
            readHead(client, 200);
            assertWhole(one, client, pace::pause);
            assertEnds(client);
        }
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, FAST", "MEMORY, SLOW", "FILE, FAST", "FILE, SLOW"})
    void answersBeforeAMalformedRequest(Source source, Pace pace) throws Exception {
        try (TestServer server = start();
                RawClient client = pace.client(server)) {
            client.send(get("/" + source, "HTTP/1.1") + "malformed\r\n\r\n" + "x".repeat(PIPELINED_BYTES));
            readHead(client, 200);
            assertWhole(one, client, pace::pause);
            assertEquals(400, client.answer().status());
            assertEnds(client);
        }
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, FAST", "MEMORY, SLOW", "FILE, FAST", "FILE, SLOW"})
    void answersBeforeABadChunk(Source source, Pace pace) throws Exception {
        try (TestServer server = start();
                RawClient client = pace.client(server)) {
            client.send(get("/" + source, "HTTP/1.1") + "POST /read HTTP/1.1\r\nHost: localhost\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n" + "x".repeat(PIPELINED_BYTES));
            readHead(client, 200);
            assertWhole(one, client, pace::pause);
            assertEquals(400, client.answer().status());
            assertEnds(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void answersWhoGoesOnSending(Source source) throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "closes, and resets, as soon as more comes");
        try (TestServer server = start();
                RawClient client = Pace.SLOW.client(server)) {
            client.send(closing("/" + source));
            readHead(client, 200);
            assertWhole(one, client, () -> sendLate(client));
            assertEnds(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void answersWhoGoesOnSendingAfterAMalformedRequest(Source source) throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "closes, and resets, as soon as more comes");
        try (TestServer server = start();
                RawClient client = Pace.SLOW.client(server)) {
            client.send(get("/" + source, "HTTP/1.1") + "malformed\r\n\r\n");
            readHead(client, 200);
            assertWhole(one, client, () -> sendLate(client));
            assertEquals(400, client.answer().status());
            assertEnds(client);
        }
    }

    /** By a client that reads when it has sent everything. */
    @ParameterizedTest
    @ValueSource(strings = {"/MEMORY", "/FILE"})
    void answersAnUploadThatNobodyReads(String path) throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "closes as soon as the application has answered");
        for (String connection : new String[] {"close", "keep-alive"}) {
            try (TestServer server = start();
                    RawClient client = server.client()) {
                client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: " + connection
                        + "\r\nContent-Length: " + UPLOAD_BYTES + "\r\n\r\n");
                client.send(new byte[UPLOAD_BYTES]);
                readHead(client, 200);
                assertWhole(one, client, () -> {});
                assertEnds(client);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesAnUpload(Pace pace) throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "closes as soon as the application has answered");
        try (TestServer server = start();
                RawClient client = pace.client(server)) {
            client.send("POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + UPLOAD_BYTES + "\r\n\r\n");
            client.send(new byte[UPLOAD_BYTES]);
            readHead(client, 413);
            assertWhole(one, client, pace::pause);
            assertEnds(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void answersOverTlsBeforeWhatIsPipelined(Pace pace) throws Exception {
        try (TestServer server = startTls();
                RawClient client = encrypted(server, pace)) {
            client.send(closing("/MEMORY") + "x".repeat(PIPELINED_BYTES));
            readHead(client, 200);
            assertWhole(one, client, pace::pause);
            assertEnds(client);
        }
    }

    /** By a thread that is not the connection's. */
    @Test
    void answersLater() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "closes, and resets, as soon as more comes");
        try (TestServer server = start();
                RawClient client = Pace.SLOW.client(server)) {
            client.send(closing("/async"));
            readHead(client, 200);
            assertWhole(one, client, () -> sendLate(client));
            assertEnds(client);
        }
    }

    /** The close alert comes last: a peer that has it knows that nothing is missing (RFC 8446 section 6.1). */
    @ParameterizedTest
    @ValueSource(strings = {"/MEMORY", "/async", "/refused"})
    void answersOverTlsWhoGoesOnSending(String path) throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "closes, and resets, as soon as more comes");
        try (TestServer server = startTls();
                RawClient client = encrypted(server, Pace.SLOW)) {
            client.send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                    + UPLOAD_BYTES + "\r\n\r\n");
            client.send(new byte[ONE_MIB]);
            readHead(client, path.equals("/refused") ? 413 : 200);
            assertWhole(one, client, () -> sendLate(client));
            assertEnds(client);
        }
    }

    private static RawClient encrypted(TestServer server, Pace pace) throws Exception {
        Socket socket = new Socket();
        if (pace == Pace.SLOW) {
            socket.setReceiveBufferSize(SMALL_SOCKET_BUFFER_BYTES);
        }
        socket.connect(new InetSocketAddress("127.0.0.1", server.port()));
        return tls.over(socket);
    }
}
