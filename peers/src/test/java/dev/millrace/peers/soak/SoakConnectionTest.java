package dev.millrace.peers.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.peers.soak.SoakFile.Change;
import dev.millrace.peers.soak.SoakFile.WrongByteException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An answer is checked against what was asked for, not against what it says of itself. */
class SoakConnectionTest {
    private static final SoakFile FILE = new SoakFile(2, "2.bin", 104, Change.REPLACED);

    private final SoakCounts counts = new SoakCounts();

    /** Bytes between two positions of the file, under these fields. */
    private static byte[] answer(String fields, int begin, int end) {
        byte[] content = FILE.content(0, begin, end);
        byte[] head = ("HTTP/1.1 " + fields + "\r\nContent-Length: " + content.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[head.length + content.length];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(content, 0, all, head.length, content.length);
        return all;
    }

    private interface Check {
        void of(SoakConnection connection) throws IOException, WrongByteException;
    }

    private void check(byte[] answer, Check check) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> served =
                    CompletableFuture.runAsync(() -> answer(listener, answer), task -> new Thread(task).start());
            URI url = URI.create("http://127.0.0.1:" + listener.getLocalPort());
            try (SoakConnection connection = new SoakConnection(url, SSLContext.getDefault(), 0, counts)) {
                connection.get("/files/2.bin", "");
                check.of(connection);
            } finally {
                served.join();
            }
        }
    }

    private static void answer(ServerSocket listener, byte[] answer) {
        try (Socket socket = listener.accept();
                OutputStream out = socket.getOutputStream();
                InputStream in = socket.getInputStream()) {
            out.write(answer);
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException ignored) {
            // The client closes while it has not read all.
            return;
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 15, 8, 16", "8, 1000, 8, 104", "96, 103, 96, 104"})
    void theRangeThatWasAskedForIsRight(long first, long last, int begin, int end) throws Exception {
        byte[] answer = answer("206 X\r\nContent-Range: bytes " + begin + "-" + (end - 1) + "/104", begin, end);
        check(answer, connection -> connection.range(FILE, first, last));
        assertEquals(end - begin, counts.bytes.sum());
    }

    @ParameterizedTest
    @CsvSource({
        "206, 0-7/104, 0, 8",
        "206, 8-23/104, 8, 24",
        "206, 8-15/104, 8, 24",
        "206, 16-23/104, 16, 24",
        "206, 0-103/104, 0, 104",
        "416, */104, 0, 0",
        "416, , 0, 0",
        "200, 8-15/104, 8, 16",
        "206, , 8, 16"
    })
    void anotherOneIsAnError(int status, String range, int begin, int end) throws Exception {
        String field = range == null ? "" : "\r\nContent-Range: bytes " + range;
        IllegalStateException x = assertThrows(
                IllegalStateException.class,
                () -> check(answer(status + " X" + field, begin, end), connection -> connection.range(FILE, 8, 15)));
        assertTrue(x.getMessage().startsWith(status + " with " + (end - begin) + " bytes, range "), x.getMessage());
    }

    @Test
    void aRangeBehindTheEndIsRefused() throws Exception {
        check(answer("416 X\r\nContent-Range: bytes */104", 0, 0), connection -> connection.range(FILE, 104, 111));
    }

    /** A server may send it where the file was replaced meanwhile; one that ignores ranges does so always. */
    @Test
    void theWholeFileForARangeIsCounted() throws Exception {
        check(answer("200 X", 0, 104), connection -> connection.range(FILE, 8, 15));
        assertTrue(counts.isGood());
        check(answer("200 X", 0, 104), connection -> connection.range(FILE, 8, 15));
        assertFalse(counts.isGood());
        assertTrue(counts.toString().contains(" whole 2,"), counts.toString());
        assertThrows(
                WrongByteException.class,
                () -> check(answer("200 X", 0, 96), connection -> connection.range(FILE, 8, 15)));
    }

    @Test
    void aPartForTheWholeFileIsAnError() throws Exception {
        check(answer("200 X", 0, 104), connection -> connection.body(FILE));
        byte[] part = answer("206 X\r\nContent-Range: bytes 8-15/104", 8, 16);
        assertThrows(IllegalStateException.class, () -> check(part, connection -> connection.body(FILE)));
    }
}
