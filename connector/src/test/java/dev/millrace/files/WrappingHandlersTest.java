package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.ThreadLimitHandler;
import org.eclipse.jetty.server.handler.gzip.GzipHandler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers of Jetty's that wrap the response, and may change it for all we know, get the bytes, and no stand-in for them. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@Timeout(60)
class WrappingHandlersTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();
    private byte[] image;
    private byte[] text;

    @BeforeEach
    void write() throws Exception {
        image = TestFiles.write(directory, "image.jpg", 300_000);
        text = "All work and no play. ".repeat(15_000).getBytes(StandardCharsets.UTF_8);
        Files.write(directory.resolve("text.txt"), text);
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setDebugHeader(true);
    }

    private TestServer server(Handler.Wrapper around) throws Exception {
        around.setHandler(files);
        return new TestServer(connectors::http).start(around);
    }

    private static Answer answer(RawClient client, String path, String field, String way) throws Exception {
        Answer answer = client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + field + "\r\n\r\n")
                .answer();
        assertEquals(way, answer.headers().get(SendfileSettings.DEBUG_HEADER), path + " " + field);
        return answer;
    }

    private void assertCounted(long wrapped, long transfers) {
        assertEquals(wrapped, files.getSendfileContentFactory().getObstacles().get("WRAPPED"));
        assertEquals(transfers, files.getSendfileContentFactory().getTransfers());
    }

    @Test
    void aLimitOfThreadsIsGivenTheBytes() throws Exception {
        try (TestServer server = server(new ThreadLimitHandler());
                RawClient client = server.client()) {
            assertArrayEquals(
                    image, answer(client, "/image.jpg", "X-None: 1", "WRAPPED").body());
            assertArrayEquals(
                    text,
                    answer(client, "/text.txt", "Accept-Encoding: gzip", "WRAPPED")
                            .body());
            Answer range = answer(client, "/image.jpg", "Range: bytes=100000-299999", "WRAPPED");
            assertArrayEquals(Arrays.copyOfRange(image, 100_000, 300_000), range.body());
            assertCounted(3, 0);
        }
    }

    // It wraps for who accepts gzip, and types that it compresses.
    @Test
    @SuppressWarnings("removal")
    void theFormerCompressionIsGivenTheBytesThatItCompresses() throws Exception {
        String accept = "Accept-Encoding: gzip";
        try (TestServer server = server(new GzipHandler());
                RawClient client = server.client()) {
            Answer packed = answer(client, "/text.txt", accept, "WRAPPED");
            assertEquals("gzip", packed.headers().get("Content-Encoding"));
            assertArrayEquals(text, new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes());
            assertArrayEquals(
                    text, answer(client, "/text.txt", "X-None: 1", "yes").body());
            assertArrayEquals(image, answer(client, "/image.jpg", accept, "yes").body());
            assertCounted(1, 2);
        }
    }
}
