package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers of several ranges that end before their last part: by the file, or by the client. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
class InterruptedRangesTest {
    private static final int FILE_BYTES = 20_000_000;
    /** Either part is more than sockets hold. */
    private static final String PARTS =
            "GET /file.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-999999,5000000-19999999\r\n\r\n";

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();
    private byte[] bytes;

    @BeforeEach
    void write() throws Exception {
        bytes = TestFiles.write(directory, "file.bin", FILE_BYTES);
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setValidMillis(50);
    }

    private TestServer server() throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        return server.start(files);
    }

    private static byte[] readToEnd(RawClient client) {
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        try {
            client.in().transferTo(received);
        } catch (IOException reset) {
            // The end that an aborted answer has.
        }
        return received.toByteArray();
    }

    /** The content of an answer in chunks (RFC 9112 section 7.1), as far as it came. */
    private static byte[] content(byte[] answer) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        String text = new String(answer, StandardCharsets.ISO_8859_1);
        int at = text.indexOf("\r\n\r\n") + 4;
        for (int end = text.indexOf("\r\n", at); end > at; end = text.indexOf("\r\n", at)) {
            int size = Integer.parseInt(text.substring(at, end), 16);
            int there = Math.min(size, answer.length - end - 2);
            content.write(answer, end + 2, there);
            at = Math.min(answer.length, end + 2 + there + 2);
        }
        return content.toByteArray();
    }

    /** What is there of the part that begins after this field. */
    private static byte[] part(byte[] answer, String contentRange) {
        String text = new String(answer, StandardCharsets.ISO_8859_1);
        int field = text.indexOf(contentRange);
        int end = field < 0 ? -1 : text.indexOf("\r\n\r\n", field);
        return end < 0 ? new byte[0] : Arrays.copyOfRange(answer, end + 4, answer.length);
    }

    @Test
    void endWhereTheFileIsTruncated() throws Exception {
        try (TestServer server = server();
                RawClient client = new RawClient(server.port(), 8192)) {
            client.send(PARTS);
            assertEquals('H', client.in().read());
            TestFiles.resize(directory.resolve("file.bin"), 6_000_000);
            byte[] received = content(readToEnd(client));
            // A reset may overtake the last bytes: what is there of either part is to be right.
            byte[] first = part(received, "bytes 0-999999/20000000");
            int firstBytes = Math.min(first.length, 1_000_000);
            assertArrayEquals(Arrays.copyOf(bytes, firstBytes), Arrays.copyOf(first, firstBytes));
            byte[] second = part(received, "bytes 5000000-19999999/20000000");
            assertTrue(second.length <= 1_000_000, "the second part has " + second.length);
            assertArrayEquals(Arrays.copyOfRange(bytes, 5_000_000, 5_000_000 + second.length), second);
            server.awaitNoEndPoints();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void leaveNothingBehindWhenTheClientGoes() throws Exception {
        try (TestServer server = server();
                RawClient client = server.client()) {
            try (RawClient going = new RawClient(server.port(), 8192)) {
                going.send(PARTS);
                assertEquals('H', going.in().read());
            }
            server.awaitEndPoints(1);
            Answer answer = client.send(PARTS).answer();
            assertEquals(206, answer.status());
            assertArrayEquals(
                    Arrays.copyOfRange(bytes, 5_000_000, FILE_BYTES),
                    Arrays.copyOf(part(answer.body(), "bytes 5000000-19999999/20000000"), 15_000_000));
            Files.delete(directory.resolve("file.bin"));
            Await.until("let go", () -> Leaks.descriptors(directory) == 0 && Leaks.mappings(directory) == 0);
        }
    }
}
