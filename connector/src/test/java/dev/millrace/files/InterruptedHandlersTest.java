package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Threads whose interrupt flag is set send a file that others are being sent too: the JDK closes a channel under such a thread. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class InterruptedHandlersTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();
    private final BlockingQueue<Boolean> stillInterrupted = new LinkedBlockingQueue<>();
    private final AtomicReference<Thread> told = new AtomicReference<>();
    private final Handler handler = Handlers.around(files, (request, response, callback) -> {
        if (request.getHeaders().contains("X-Tell")) {
            return handleTold(request, response, callback);
        }
        if (!request.getHeaders().contains("X-Interrupt")) {
            return files.handle(request, response, callback);
        }
        Thread.currentThread().interrupt();
        boolean handled = files.handle(request, response, callback);
        stillInterrupted.add(Thread.currentThread().isInterrupted());
        return handled;
    });

    private boolean handleTold(Request request, Response response, Callback callback) throws Exception {
        told.set(Thread.currentThread());
        try {
            return files.handle(request, response, callback);
        } finally {
            synchronized (told) {
                told.set(null);
            }
        }
    }

    // A thread that has left the handler belongs to the pool, and may be sending to the other client by now. A blocking
    // one has not.
    private void interruptWhoIsInTheHandler() {
        synchronized (told) {
            Thread sending = told.get();
            assertTrue(sending != null || !connectors.name().startsWith("BIO"), "nobody is in the handler");
            Optional.ofNullable(sending).ifPresent(Thread::interrupt);
        }
    }

    private void serveInterrupted(RawClient slow, TestServer server, byte[] bytes) throws Exception {
        assertEquals('H', slow.in().read());
        String get = "GET /file.bin HTTP/1.1\r\nHost: localhost\r\nX-Interrupt: yes\r\n";
        try (RawClient other = server.client()) {
            for (int[] range : new int[][] {{0, 100}, {5_000_000, 5_100_000}, {0, bytes.length}}) {
                Answer answer = other.send(get + "Range: bytes=" + range[0] + "-" + (range[1] - 1) + "\r\n\r\n")
                        .answer();
                assertArrayEquals(Arrays.copyOfRange(bytes, range[0], range[1]), answer.body());
                assertEquals(true, stillInterrupted.poll(30, TimeUnit.SECONDS), "the interrupt is the application's");
            }
            assertEquals(
                    206,
                    other.send(get + "Range: bytes=0-9,1000000-1999999\r\n\r\n")
                            .answer()
                            .status());
        }
        assertArrayEquals(bytes, slow.answer().body());
    }

    @Test
    void doNotCutTransfers() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 20_000_000);
        files.setBaseResourceAsString(directory.toString());
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient slow = new RawClient(server.port(), 8192)) {
            serveInterrupted(slow.get("/file.bin"), server, bytes);
        }
    }

    /** The JDK closes a file under the thread that is interrupted inside of a system call: the others open it again. */
    @Test
    void cutNobodyElseWhenTheyAreInterruptedWhileTheySend() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 20_000_000);
        files.setBaseResourceAsString(directory.toString());
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient first = new RawClient(server.port(), 8192);
                RawClient second = new RawClient(server.port(), 8192).get("/file.bin")) {
            first.send("GET /file.bin HTTP/1.1\r\nHost: localhost\r\nX-Tell: yes\r\n\r\n");
            // More than the header: its thread is inside the file, of which the sockets hold no more than a part.
            byte[] begin = first.in().readNBytes(100_000);
            assertEquals('H', second.in().read());
            interruptWhoIsInTheHandler();
            assertArrayEquals(bytes, second.answer().body());
            // It goes on, or its connection ends; but it is sent nothing twice.
            ByteArrayOutputStream received = new ByteArrayOutputStream();
            received.write(begin);
            for (int next = first.read(); next >= 0; next = received.size() < bytes.length ? first.read() : -1) {
                received.write(next);
                received.write(first.in().readNBytes(first.in().available()));
            }
            byte[] body = bodyOf(received.toByteArray());
            assertArrayEquals(Arrays.copyOf(bytes, body.length), body);
        }
    }

    private static byte[] bodyOf(byte[] answer) {
        int begin = new String(answer, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n") + 4;
        return Arrays.copyOfRange(answer, begin, answer.length);
    }

    @Test
    void doNotCutCopies() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 20_000_000);
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setMinTransferBytes(Integer.MAX_VALUE);
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient slow = new RawClient(server.port(), 8192)) {
            serveInterrupted(slow.get("/file.bin"), server, bytes);
        }
    }

    @Test
    void doNotCutWhatTheyMapOrBringIntoTheCache() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 40_000);
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setMaxCacheBytes(1_000_000);
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            SendfileContent content =
                    (SendfileContent) files.getSendfileContentFactory().getContent("/file.bin");
            String get = "GET /file.bin HTTP/1.1\r\nHost: localhost\r\nX-Interrupt: yes\r\n\r\n";
            for (int i = 0; i < 10; i++) {
                assertArrayEquals(bytes, client.send(get).answer().body());
                assertTrue(content.file().isOpen());
            }
            assertEquals(1, files.getSendfileContentFactory().getCacheAdmissions());
        }
    }
}
