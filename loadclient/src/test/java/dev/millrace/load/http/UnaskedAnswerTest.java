package dev.millrace.load.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server sends on a resting connection is the answer to no request, such as the 408 of a server that gives it up. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class UnaskedAnswerTest {

    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final CountDownLatch answered = new CountDownLatch(1);

    private static final class Ok implements ResponseCheck {

        private int status;

        @Override
        public void begin(ResponseHead head) {
            status = head.status();
        }

        @Override
        public void body(byte[] chunk, int offset, int length) {}

        @Override
        public Failure end() {
            return status == ResponseHead.OK ? null : new Failure(FailureKind.STATUS, "status " + status);
        }
    }

    private void answerTwice(TestServer.Request request, java.io.OutputStream out, Socket socket) throws IOException {
        TestServer.send(out, "200 OK", "text/plain", new byte[] {'a'});
        try {
            answered.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        TestServer.send(out, "200 OK", "text/plain", new byte[] {'b'});
    }

    @Test
    void itIsTakenForNoAnswer() throws Exception {
        try (TestServer server = new TestServer(this::answerTwice)) {
            Target target = Target.of(server.url("/"));
            Call call = new Call(new Request("GET", target, true, List.of(), null), new Ok());
            SocketSettings settings = SocketSettings.to(target, TlsSettings.ofJdk(), Protocol.HTTP1, null, 0, 10_000);
            AtomicReference<Closeable> socket = new AtomicReference<>();
            try (HttpConnection connection =
                    HttpConnection.open(target.address(), settings, new byte[8192], socket::set)) {
                assertNull(connection.exchange(call, new Timing(), bytes -> {}));
                answered.countDown();
                awaitRest(((Socket) socket.get()).getInputStream());
                BadResponseException surplus = assertThrows(
                        BadResponseException.class, () -> connection.exchange(call, new Timing(), bytes -> {}));
                assertEquals(FailureKind.WRONG_CONTENT, surplus.kind());
                assertTrue(
                        surplus.getMessage().endsWith(" surplus bytes after the answer before"), surplus.getMessage());
            }
            assertEquals(1, server.requests().size(), "the second is not sent");
        }
    }

    /** Waits until something has come, and the connection has rested. */
    private static void awaitRest(InputStream in) throws IOException {
        long start = System.nanoTime();
        while (in.available() == 0 || System.nanoTime() - start < REST_NANOS) {
            Thread.onSpinWait();
        }
    }
}
