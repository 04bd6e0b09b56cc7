package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.cache.OpenFile;
import dev.millrace.testing.BrokenFile;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.Logged;
import dev.millrace.testing.Meanwhile;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import dev.millrace.transfer.FileFailedException;
import dev.millrace.xsendfile.TransferResult;
import dev.millrace.xsendfile.TransferResult.Outcome;
import dev.millrace.xsendfile.XSendfileHandler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Whose fault it is that a delegated file did not arrive, over protocols and connectors that copy it too. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
class TransferOutcomeTest {
    private static final int SIZE = 40_000_000;
    // More than the sockets of both sides hold.
    private static final int SHORTER = 25_000_000;
    private static final int MORE_THAN_A_WINDOW = 2_000_000;
    private static final byte[] CONTENT = new byte[SIZE];

    static {
        new SplittableRandom(1).nextBytes(CONTENT);
    }

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final BlockingQueue<TransferResult> results = new LinkedBlockingQueue<>();
    private final XSendfileHandler handler = new XSendfileHandler(Handlers.fields(
            () -> Map.of("X-Sendfile", directory.resolve("file.bin").toString())));

    @BeforeEach
    void files() throws Exception {
        // Written, not a hole: what is in memory is sent otherwise than what is not.
        Files.write(directory.resolve("file.bin"), CONTENT);
        handler.addRoot(directory.toString());
        handler.addTransferListener(results::add);
    }

    private TransferResult result() throws InterruptedException {
        TransferResult result = results.poll(30, TimeUnit.SECONDS);
        assertNotNull(result, "no result");
        return result;
    }

    @Test
    void aClientOfHttp2ThatCancelsIsGone() throws Exception {
        try (TestServer server = new TestServer(connectors::httpAndHttp2).start(handler);
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client).get("/");
            assertEquals(30_000, client.in().readNBytes(30_000).length);
            frames.cancel();
            assertEquals(Outcome.CLIENT_GONE, result().outcome());
        }
    }

    @Test
    void aFileThatBecomesShorterResetsItsStream() throws Exception {
        try (TestServer server = new TestServer(connectors::http2).start(handler);
                RawClient client = server.client()) {
            assertResetsItsStream(client);
        }
    }

    @Test
    void aFileThatBecomesShorterResetsItsStreamOverTls() throws Exception {
        Tls keys = new Tls();
        try (TestServer server = new TestServer(s -> connectors.http2(s, keys)).start(handler);
                RawClient client = keys.over(new Socket("127.0.0.1", server.port()), "h2")) {
            assertResetsItsStream(client);
        }
    }

    /** The client's window holds the answer until the file is shorter; the next request is of another stream. */
    private void assertResetsItsStream(RawClient client) throws Exception {
        Http2Frames frames = new Http2Frames(client).get("/");
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.write(frames.next(frames.lastStream()));
        shorten(MORE_THAN_A_WINDOW);
        frames.openWindows();
        IOException reset = assertThrows(IOException.class, () -> {
            for (byte[] part = content.toByteArray(); part.length > 0; content.write(part)) {
                part = frames.next(frames.lastStream());
            }
        });
        assertTrue(String.valueOf(reset.getMessage()).startsWith("stream was reset"), reset::toString);
        assertTrue(content.size() <= MORE_THAN_A_WINDOW, "content " + content.size());
        assertArrayEquals(Arrays.copyOf(CONTENT, content.size()), content.toByteArray());
        TransferResult result = result();
        assertEquals(Outcome.FAILED, result.outcome());
        assertTrue(result.bytes() <= MORE_THAN_A_WINDOW, "bytes " + result.bytes());
        assertArrayEquals(
                Arrays.copyOf(CONTENT, MORE_THAN_A_WINDOW), frames.get("/").contentBytes());
        assertEquals(Outcome.DONE, result().outcome());
    }

    @Test
    void aFileThatBecomesShorterFails() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            shorten(client);
        }
    }

    @Test
    void aFileThatBecameShorterBeforeItWasMappedFails() throws Exception {
        assertFailsUnmapped("");
    }

    @Test
    void aFileOfSeveralRangesThatBecameShorterBeforeItWasMappedFails() throws Exception {
        assertFailsUnmapped("Range: bytes=0-9999999,30000000-39999999\r\n");
    }

    private void assertFailsUnmapped(String range) throws Exception {
        handler.getSettings().setValidMillis(-1);
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            assertEquals(SIZE, content().getContentLengthValue());
            shorten();
            assertFails(client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + range + "\r\n"));
        }
    }

    /** As an eviction does between the look-up of a file and its answer, and a program that replaces the file. */
    private Handler replacing() {
        Meanwhile.Action replace = () -> {
            if (handler.getSendfileContentFactory().getOpenFiles() > 0) {
                handler.getSendfileContentFactory().openFiles().stop();
                TestFiles.write(directory, "file.bin", 1000);
            }
        };
        return Handlers.around(
                handler,
                (request, response, callback) ->
                        handler.handle(request, Meanwhile.atFields(request, response, replace), callback));
    }

    @Test
    void aFileThatIsReplacedWhileTheAnswerIsMadeIsSentAsItIsByThen() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(replacing());
                RawClient client = server.client()) {
            assertEquals(1000, client.get("/").answer().body().length);
            TransferResult result = result();
            assertEquals(Outcome.DONE, result.outcome());
            assertEquals(1000, result.bytes());
        }
    }

    @Test
    void aFileThatBecomesShorterFailsOverTls() throws Exception {
        Tls keys = new Tls();
        try (TestServer server = new TestServer(s -> connectors.https(s, keys)).start(handler);
                RawClient client = keys.connect(server.port())) {
            shorten(client);
        }
    }

    private void shorten(RawClient client) throws Exception {
        client.get("/");
        assertNotEquals(-1, client.read());
        shorten();
        assertFails(client);
    }

    private void shorten() throws IOException {
        shorten(SHORTER);
    }

    private void shorten(int bytes) throws IOException {
        TestFiles.resize(directory.resolve("file.bin"), bytes);
    }

    private void assertFails(RawClient client) throws Exception {
        try {
            client.in().transferTo(OutputStream.nullOutputStream());
        } catch (IOException ignored) {
            // TLS that ends without a close alert, or a reset.
        }
        TransferResult result = result();
        assertEquals(Outcome.FAILED, result.outcome());
        assertTrue(result.bytes() <= SHORTER, "bytes " + result.bytes());
    }

    @Test
    void aFileThatCannotBeReadFails() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            breakTheDisk();
            assertFails(client.get("/"));
        }
    }

    @Test
    void aFileThatCannotBeReadFailsOverTls() throws Exception {
        Tls keys = new Tls();
        try (Logged logged = new Logged(FileFailedException.class.getName());
                TestServer server = new TestServer(s -> connectors.https(s, keys)).start(handler);
                RawClient client = keys.connect(server.port())) {
            breakTheDisk();
            assertFails(client.get("/"));
            assertEquals(1, logged.count("Input/output error"));
        }
    }

    private HttpContent content() throws IOException {
        // Root and file, as the handler asks for them.
        String key = directory.toString().length() + ":" + directory.resolve("file.bin");
        return handler.getSendfileContentFactory().getContent(key);
    }

    private void breakTheDisk() throws Exception {
        handler.getSettings().setValidMillis(-1);
        OpenFile file = ((SendfileContent) content()).file();
        // Mapped while it still can be.
        file.token(0, SIZE);
        Field channel = OpenFile.class.getDeclaredField("channel");
        channel.setAccessible(true);
        channel.set(file, new BrokenFile(file.channel(), SHORTER));
    }
}
