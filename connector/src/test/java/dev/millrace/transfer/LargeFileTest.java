package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.MillraceConnector;
import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.io.EOFException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A part that no int can measure of a file that no unsigned int can, read to its end; all of it but the marks is zeros. */
class LargeFileTest {
    private static final long SIZE = 5L << 30;
    private static final long FIRST = (1L << 31) - 1000;
    private static final long LAST = (1L << 32) + 1000;
    private static final int BUFFER_BYTES = 1 << 20;

    // Of all cases: the system needs seconds to read so many zeros for the first time.
    @TempDir
    static Path directory;

    private final Map<Long, String> expected = new TreeMap<>();

    @BeforeEach
    void write() throws Exception {
        // At the ends and beyond them, and on both sides of each limit.
        try (RandomAccessFile sparse =
                new RandomAccessFile(directory.resolve("sparse.bin").toFile(), "rw")) {
            sparse.setLength(SIZE);
            for (long mark : new long[] {FIRST, (1L << 31) - 5, FIRST + (1L << 31) - 5, (1L << 32) - 5, LAST - 9}) {
                expected.put(mark, String.format("%010d", mark));
                sparse.seek(mark);
                sparse.writeBytes(expected.get(mark));
            }
            sparse.seek(FIRST - 1);
            sparse.write('x');
            sparse.seek(LAST + 1);
            sparse.write('x');
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Connectors.class,
            names = {"NIO", "BIO_PLATFORM"})
    void sendsMoreThanTwoGibibytes(Connectors connectors) throws Exception {
        SendfileHandler files = Handlers.files(directory);
        try (TestServer server = new TestServer(connectors::http).start(files);
                SocketChannel client = SocketChannel.open(new InetSocketAddress("127.0.0.1", server.port()))) {
            String request =
                    "GET /sparse.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=" + FIRST + "-" + LAST + "\r\n\r\n";
            client.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.ISO_8859_1)));
            assertEquals(expected, readMarks(client));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#senders")
    void sendsByEveryAlgorithmFromBeyondFourGibibytes(Connectors connectors) throws Exception {
        SendfileHandler files = Handlers.files(directory);
        long from = LAST - 300_000;
        byte[] bytes = new byte[300_001];
        expected.forEach((mark, digits) -> {
            if (mark >= from) {
                System.arraycopy(digits.getBytes(StandardCharsets.ISO_8859_1), 0, bytes, (int) (mark - from), 10);
            }
        });
        TestServer server = new TestServer(connectors::http);
        MillraceConnector millrace = server.millrace();
        try (server;
                RawClient client = new RawClient(server.start(files).port())) {
            for (String algorithm : TransferContractTest.algorithms()) {
                millrace.setAlgorithm(algorithm);
                Answer answer = client.send("GET /sparse.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=" + from + "-"
                                + LAST + "\r\n\r\n")
                        .answer();
                assertEquals(
                        "bytes " + from + "-" + LAST + "/" + SIZE,
                        answer.headers().get("Content-Range"));
                assertArrayEquals(bytes, answer.body(), algorithm);
            }
            // No mapping holds both ends of this range: two regions each.
            assertEquals(
                    2L * TransferContractTest.algorithms().size(),
                    millrace.getTransferStatistics().getRegions());
        }
    }

    /** Everything that is not zero, by its place; reads to the end of the part. */
    private static Map<Long, String> readMarks(SocketChannel client) throws Exception {
        Map<Long, String> marks = new TreeMap<>();
        ByteBuffer zeros = ByteBuffer.allocateDirect(BUFFER_BYTES);
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        int head = readHead(client, buffer);
        buffer.flip().position(head);
        long at = FIRST;
        long lastMark = -1;
        while (true) {
            while (buffer.hasRemaining()) {
                int different = buffer.mismatch(zeros.clear().limit(buffer.remaining()));
                if (different < 0) {
                    at += buffer.remaining();
                    break;
                }
                at += different;
                buffer.position(buffer.position() + different);
                String digit = String.valueOf((char) buffer.get());
                lastMark = lastMark >= 0 && at < lastMark + 10 ? lastMark : at;
                marks.merge(lastMark, digit, String::concat);
                at++;
            }
            if (at == LAST + 1) {
                return marks;
            }
            buffer.clear();
            assertNotEquals(-1, client.read(buffer), "ends at " + at);
            buffer.flip();
        }
    }

    private static int readHead(SocketChannel client, ByteBuffer buffer) throws Exception {
        while (true) {
            if (client.read(buffer) < 0) {
                throw new EOFException();
            }
            String text = StandardCharsets.ISO_8859_1
                    .decode(buffer.duplicate().flip())
                    .toString();
            int end = text.indexOf("\r\n\r\n");
            if (end >= 0) {
                assertTrue(text.contains("Content-Range: bytes " + FIRST + "-" + LAST + "/" + SIZE + "\r\n"), text);
                return end + 4;
            }
        }
    }
}
