package dev.millrace.load.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A server may answer and close before it has read all of a body (RFC 9112 section 9.5). */
class EarlyAnswerTest {

    /** More than the buffers of both sockets hold. */
    private static final int BODY_BYTES = 16 * 1024 * 1024;

    /** Tells the status as a failure. */
    private static final class Status implements ResponseCheck {

        private int status;
        private int bytes;

        @Override
        public void begin(ResponseHead head) {
            status = head.status();
        }

        @Override
        public void body(byte[] chunk, int offset, int length) {
            bytes += length;
        }

        @Override
        public Failure end() {
            return new Failure(FailureKind.STATUS, status + " with " + bytes + " bytes");
        }
    }

    @Test
    void theAnswerIsReadThoughTheBodyCannotBeSent() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            CompletableFuture<Void> server = CompletableFuture.runAsync(() -> refuse(listener));
            Target target = Target.of("http://127.0.0.1:" + listener.getLocalPort() + "/");
            Request request = new Request("POST", target, true, List.of(), new byte[BODY_BYTES]);
            SocketSettings settings = SocketSettings.to(target, TlsSettings.ofJdk(), Protocol.HTTP1, null, 0, 60_000);
            InetSocketAddress address = target.address();
            try (HttpConnection connection = HttpConnection.open(address, settings, new byte[8192])) {
                Failure failure = connection.exchange(new Call(request, new Status()), new Timing(), bytes -> {});
                assertEquals(new Failure(FailureKind.STATUS, "413 with 7 bytes"), failure);
                assertFalse(connection.reusable());
            }
            server.join();
        }
    }

    /** Answers, and closes while bytes are unread, which resets the connection. */
    private static void refuse(ServerSocket listener) {
        try (Socket socket = listener.accept()) {
            socket.getInputStream().read();
            socket.getOutputStream()
                    .write("HTTP/1.1 413 Too Large\r\nContent-Length: 7\r\n\r\ntoo big"
                            .getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
