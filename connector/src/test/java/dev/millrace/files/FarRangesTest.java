package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ranges at the end of a file that takes minutes to read: a server that reads it from its beginning misses the client's
 * timeout.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
class FarRangesTest {
    private static final long SIZE = 400L << 30;
    private static final byte[] END = RandomBytes.of(200_000);

    @TempDir
    static Path directory;

    @Parameter
    Connectors connectors;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void write() throws Exception {
        try (RandomAccessFile sparse =
                new RandomAccessFile(directory.resolve("sparse.bin").toFile(), "rw")) {
            sparse.setLength(SIZE);
            sparse.seek(SIZE - END.length);
            sparse.write(END);
        }
        files.setBaseResourceAsString(directory.toString());
    }

    private static void checkRanges(RawClient client) throws Exception {
        String get = "GET /sparse.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=";
        Answer range = client.send(get + "-100000\r\n\r\n").answer();
        assertEquals(206, range.status());
        assertArrayEquals(Arrays.copyOfRange(END, 100_000, 200_000), range.body());
        long begin = SIZE - END.length;
        String parts = client.send(
                        get + begin + "-" + (begin + 9) + "," + (begin + 1000) + "-" + (begin + 1999) + ",-10\r\n\r\n")
                .answer()
                .text();
        for (int[] part : new int[][] {{0, 10}, {1000, 2000}, {199_990, 200_000}}) {
            assertTrue(
                    parts.contains("bytes " + (begin + part[0]) + "-" + (begin + part[1] - 1) + "/" + SIZE + "\r\n\r\n"
                            + new String(END, part[0], part[1] - part[0], StandardCharsets.ISO_8859_1)),
                    () -> "at " + part[0]);
        }
    }

    @Test
    void areAnsweredAtOnce() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            checkRanges(client);
        }
    }

    @Test
    void areAnsweredAtOnceOverTls() throws Exception {
        Tls keys = new Tls();
        try (TestServer server = new TestServer(s -> connectors.https(s, keys)).start(files);
                RawClient client = keys.connect(server.port())) {
            checkRanges(client);
        }
    }

    @Test
    void canBeReadAgain() throws Exception {
        try (TestServer ignored = new TestServer(connectors::http).start(files)) {
            SendfileContent content =
                    (SendfileContent) files.getSendfileContentFactory().getContent("/sparse.bin");
            Content.Source source = ((FileResource) content.getResource())
                    .newContentSource(
                            new ByteBufferPool.Sized(ByteBufferPool.NON_POOLING, false, 600),
                            SIZE - END.length + 5,
                            1000);
            for (int i = 0; i < 2; i++) {
                Content.Chunk first = source.read();
                ByteBuffer expected = ByteBuffer.wrap(END, 5, first.remaining());
                assertEquals(expected, first.getByteBuffer());
                first.release();
                assertTrue(source.rewind());
            }
            assertEquals(ByteBuffer.wrap(END, 5, 1000), Content.Source.asByteBuffer(source));
        }
    }
}
