package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.FileFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.eclipse.jetty.server.Response;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A file is written over, in its place, while it is sent: nobody is to believe that he has the whole of it. */
@Timeout(60)
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
class OverwrittenFileTest {
    /** More than the sockets of both sides hold. */
    private static final int SIZE = 40_000_000;

    private static final String LOG_LINE = "was written over while it was sent";

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();
    private byte[] content;

    @BeforeEach
    void files() throws IOException {
        files.setBaseResourceAsString(directory.toString());
        // For ever: what the transfer itself finds out counts all the same.
        files.getSettings().setValidMillis(-1);
        content = TestFiles.write(directory, "file.bin", SIZE);
    }

    private byte[] overwrite(int size, StandardOpenOption... options) throws IOException {
        byte[] other = new byte[size];
        Arrays.fill(other, (byte) 'x');
        try (FileChannel file = FileChannel.open(directory.resolve("file.bin"), options)) {
            ByteBuffer bytes = ByteBuffer.wrap(other);
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        }
        return other;
    }

    private TestServer server() throws Exception {
        return new TestServer(connectors::http).start(files);
    }

    /** A download that has begun, and waits for its client. */
    private static RawClient begun(TestServer server, String range) throws IOException {
        RawClient client = new RawClient(server.port(), 8192);
        client.send("GET /file.bin HTTP/1.1\r\nHost: localhost\r\n" + range + "\r\n");
        assertEquals('H', client.in().read());
        // More than the headers of an answer and of a range: the server has begun to read the file, and knows it again.
        Await.until("content has come", () -> client.available() > 1000);
        return client;
    }

    private void assertCutOffAndOpenedAnew(String range) throws Exception {
        assertCutOffAndOpenedAnew(range, SIZE);
    }

    private void assertCutOffAndOpenedAnew(String range, int size) throws Exception {
        try (Logged jetty = new Logged(Response.class.getName());
                Logged ours = new Logged(FileFailedException.class.getName());
                TestServer server = server();
                RawClient client = begun(server, range)) {
            byte[] other = overwrite(size, StandardOpenOption.WRITE);
            // Last, for it is not to be found shorter before it is written over.
            try (FileChannel file = FileChannel.open(directory.resolve("file.bin"), StandardOpenOption.WRITE)) {
                file.truncate(size);
            }
            assertThrows(IOException.class, client::answer);
            // The connection may be closed before that is said.
            Await.until("said", () -> jetty.count(LOG_LINE) + ours.count(LOG_LINE) == 1);
            try (RawClient next = server.client()) {
                assertArrayEquals(other, next.get("/file.bin").answer().body());
            }
        }
    }

    @Test
    void anAnswerIsCutOff() throws Exception {
        assertCutOffAndOpenedAnew("");
    }

    @Test
    void anAnswerThatIsCopiedIsCutOff() throws Exception {
        files.getSettings().setMinTransferBytes(Integer.MAX_VALUE);
        assertCutOffAndOpenedAnew("");
    }

    @Test
    void anAnswerOfSeveralRangesIsCutOff() throws Exception {
        assertCutOffAndOpenedAnew("Range: bytes=0-19999999,20000100-39999999\r\n");
    }

    @Test
    void anAnswerIsCutOffByALongerFile() throws Exception {
        assertCutOffAndOpenedAnew("", SIZE + 1_000);
    }

    @Test
    void anAnswerThatIsCopiedIsCutOffByALongerFile() throws Exception {
        files.getSettings().setMinTransferBytes(Integer.MAX_VALUE);
        assertCutOffAndOpenedAnew("", SIZE + 1_000);
    }

    @Test
    void anAnswerOfSeveralRangesIsCutOffByALongerFile() throws Exception {
        assertCutOffAndOpenedAnew("Range: bytes=0-19999999,20000100-39999999\r\n", SIZE + 1_000);
    }

    @Test
    void aRangeIsCutOffByAShorterFileThatHoldsIt() throws Exception {
        assertCutOffAndOpenedAnew("Range: bytes=0-29999999\r\n", 35_000_000);
    }

    /** As a log is: what was promised stays as it was. */
    @Test
    void whatIsAppendedDoesNoHarm() throws Exception {
        try (TestServer server = server();
                RawClient client = begun(server, "")) {
            overwrite(SIZE, StandardOpenOption.APPEND);
            // The letter was read before.
            client.line();
            String line = client.line();
            while (!line.isEmpty()) {
                line = client.line();
            }
            assertArrayEquals(content, client.in().readNBytes(SIZE));
        }
    }
}
