package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.MillraceConnector;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.FileFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A file becomes shorter while it is copied. Over TLS, too: {@link ShortenedFileOverTlsTest}. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
class ShortenedFileTest {
    private static final int SIZE = 40_000_000;
    private static final String LOG_LINE = "was truncated";
    /** Random once for all tests: a compression makes nothing of zeros, and would have sent them all. */
    private static final byte[] CONTENT = RandomBytes.of(SIZE);

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    int size() {
        return SIZE;
    }

    /** More than the sockets of both sides hold. */
    int shorter() {
        return 25_000_000;
    }

    ServerConnector connector(Server server) {
        return connectors.http(server);
    }

    /** @param receiveBufferBytes 0: as the system has it */
    RawClient client(int port, int receiveBufferBytes) throws Exception {
        return new RawClient(port, receiveBufferBytes);
    }

    @BeforeEach
    void files() {
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setMaxCompressedBytes(size());
    }

    /** As what rewrites content does, which cannot know its length. */
    private Handler takingLengths() {
        return Handlers.around(
                files,
                (request, response, callback) -> files.handle(
                        request,
                        new Response.Wrapper(request, response) {
                            @Override
                            public void write(boolean last, ByteBuffer bytes, Callback written) {
                                if (!isCommitted()) {
                                    getHeaders().remove(HttpHeader.CONTENT_LENGTH);
                                }
                                super.write(last, bytes, written);
                            }
                        },
                        callback));
    }

    private void shorten(String name, int bytes) throws IOException {
        TestFiles.resize(directory.resolve(name), bytes);
    }

    private void assertCutOff(RawClient client) throws IOException {
        Files.write(directory.resolve("file.txt"), Arrays.copyOf(CONTENT, size()));
        client.send("GET /file.txt HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
        assertEquals('H', client.in().read());
        shorten("file.txt", shorter());
        assertThrows(IOException.class, client::answer);
    }

    @Test
    void anAnswerWithoutALengthDoesNotLookComplete() throws Exception {
        try (TestServer server = new TestServer(this::connector).start(takingLengths());
                RawClient client = client(server.port(), 8192)) {
            assertCutOff(client);
        }
    }

    // Not on a TestServer: Jetty's compression does not give its buffer back when an answer fails.
    @Test
    void aCompressedAnswerDoesNotLookComplete() throws Exception {
        Server server = new Server();
        ServerConnector connector = connector(server);
        server.addConnector(connector);
        server.setHandler(new CompressionHandler(files));
        server.start();
        try (RawClient client = client(connector.getLocalPort(), 8192)) {
            assertCutOff(client);
        } finally {
            server.stop();
        }
    }

    @Test
    void oneLineOfTheLogSaysSo() throws Exception {
        files.getSettings().setMinTransferBytes(Integer.MAX_VALUE);
        try (Logged jetty = new Logged(Response.class.getName());
                Logged logged = new Logged(FileFailedException.class.getName());
                TestServer server = new TestServer(this::connector).start(files);
                RawClient client = client(server.port(), 8192)) {
            assertCutOff(client);
            assertEquals(1, jetty.count(LOG_LINE) + logged.count(LOG_LINE));
            if (server.connector() instanceof MillraceConnector) {
                Await.until("counted", () -> server.transfers().getTruncations() == 1);
            }
        }
    }

    @Test
    void oneLineOfTheLogSaysSoOfASmallFile() throws Exception {
        TestFiles.write(directory, "small.txt", 10_000);
        files.getSettings().setValidMillis(-1);
        try (Logged jetty = new Logged(Response.class.getName());
                Logged logged = new Logged(FileFailedException.class.getName());
                TestServer server = new TestServer(this::connector).start(files);
                RawClient client = client(server.port(), 0)) {
            assertEquals(200, client.get("/small.txt").answer().status());
            shorten("small.txt", 5000);
            assertEquals(500, client.get("/small.txt").answer().status());
            assertEquals(1, jetty.count(LOG_LINE) + logged.count(LOG_LINE));
        }
    }

    /** Below the size of a block: Jetty's connector reads the whole before it writes. */
    @Test
    void aMappedFileOfWhichNothingHasLeftIsAnError() throws Exception {
        TestFiles.write(directory, "mapped.bin", 30_000);
        files.getSettings().setValidMillis(-1);
        files.getSettings().setMaxCacheBytes(0);
        try (Logged jetty = new Logged(Response.class.getName());
                Logged logged = new Logged(FileFailedException.class.getName());
                TestServer server = new TestServer(this::connector).start(files);
                RawClient client = client(server.port(), 0)) {
            assertEquals(30_000, client.get("/mapped.bin").answer().body().length);
            shorten("mapped.bin", 10_000);
            assertEquals(500, client.get("/mapped.bin").answer().status());
            assertEquals(
                    1,
                    Stream.of(jetty, logged)
                            .mapToLong(log -> log.count("mapped.bin"))
                            .sum());
        }
    }

    /** What is answered of a file that became shorter after it was opened, and before anything of it was sent. */
    private void assertLetsGo(String name, String range) throws Exception {
        TestFiles.write(directory, name, 1_000_000);
        files.getSettings().setValidMillis(-1);
        try (Logged jetty = new Logged(Response.class.getName());
                Logged logged = new Logged(FileFailedException.class.getName());
                TestServer server = new TestServer(this::connector).start(files)) {
            assertEquals(
                    1_000_000,
                    files.getSendfileContentFactory().getContent("/" + name).getContentLengthValue());
            byte[] shorter = TestFiles.write(directory, name, 500_000);
            try (RawClient client = client(server.port(), 0)) {
                client.send("GET /" + name + " HTTP/1.1\r\nHost: localhost\r\n" + range + "\r\n");
                assertEquals(500, client.answer().status());
            } catch (IOException cut) {
                // After the part that was copied.
                assertTrue(
                        connectors == Connectors.STOCK || !range.isEmpty(), "nothing is sent of what cannot be mapped");
            }
            assertEquals(
                    1,
                    Stream.of(jetty, logged)
                            .mapToLong(log -> log.count(LOG_LINE))
                            .sum());
            try (RawClient client = client(server.port(), 0)) {
                assertArrayEquals(shorter, client.get("/" + name).answer().body());
            }
        }
    }

    @Test
    void aFileThatWasNotYetMappedIsOpenedAnew() throws Exception {
        assertLetsGo("file.bin", "");
    }

    @Test
    void aFileOfSeveralRangesThatWasNotYetMappedIsOpenedAnew() throws Exception {
        assertLetsGo("file.bin", "Range: bytes=0-99999,600000-999999\r\n");
    }
}
