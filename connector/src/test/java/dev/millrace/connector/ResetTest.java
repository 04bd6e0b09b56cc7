package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Relay;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A peer that resets the connection at any point of a request or an answer leaves nothing behind; nor does one that splits. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class ResetTest {
    private static final byte[] CHUNKED =
            ("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + "5\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
    private static final int TLS_STEP = 23;

    @Parameter
    Connectors connectors;

    /** Answers the body of the request, in two writes. */
    private static final Handler ECHO = Handlers.of((request, response, callback) -> {
        byte[] body = Handlers.content(request);
        response.write(
                false,
                ByteBuffer.wrap(body),
                Callback.from(() -> response.write(true, ByteBuffer.wrap(body), callback), callback::failed));
    });

    // What is reset before anybody has read it is lost.
    private static void awaitRead(TestServer server, int connections, int bytes) {
        Await.until(
                bytes + " bytes read",
                () -> server.events().opened() == connections
                        && server.events().last().getBytesIn() == bytes);
    }

    private static void reset(RawClient client) throws IOException {
        client.socket().setSoLinger(true, 0);
        client.close();
    }

    private static void assertServes(TestServer server) throws Exception {
        try (RawClient client = server.client()) {
            assertEquals("hello worldhello world", client.send(CHUNKED).answer().text());
        }
        server.awaitNoEndPoints();
    }

    @Test
    void survivesAResetAtEveryByteOfARequest() throws Exception {
        try (TestServer server =
                new TestServer(connectors::http).expectMalformedRequests().start(ECHO)) {
            for (int bytes = 0; bytes <= CHUNKED.length; bytes++) {
                RawClient client = server.client().send(Arrays.copyOf(CHUNKED, bytes));
                awaitRead(server, bytes + 1, bytes);
                reset(client);
            }
            server.awaitNoEndPoints();
            assertServes(server);
        }
    }

    @Test
    void survivesAResetAtEveryByteOfAnAnswer() throws Exception {
        try (TestServer server =
                new TestServer(connectors::http).expectMalformedRequests().start(ECHO)) {
            int length;
            try (RawClient client = server.client().send(CHUNKED)) {
                client.shutdownOutput();
                length = client.in().readAllBytes().length;
            }
            for (int bytes = 0; bytes < length; bytes++) {
                RawClient client = server.client().send(CHUNKED);
                assertEquals(bytes, client.in().readNBytes(bytes).length);
                reset(client);
            }
            server.awaitNoEndPoints();
            assertServes(server);
        }
    }

    @Test
    void readsARequestSplitAtEveryByte() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(ECHO)) {
            for (int split = 1; split < CHUNKED.length; split++) {
                int count = split;
                try (RawClient client = server.client().send(Arrays.copyOf(CHUNKED, split))) {
                    awaitRead(server, count, count);
                    client.send(Arrays.copyOfRange(CHUNKED, split, CHUNKED.length));
                    assertEquals("hello worldhello world", client.answer().text());
                }
            }
        }
    }

    @Test
    void survivesAResetAnywhereOverTls() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = new TestServer(s -> connectors.https(s, tls))
                .expectMalformedRequests()
                .start(ECHO)) {
            Encrypted encrypted = new Encrypted(server);
            long up;
            long down;
            try (Relay relay = new Relay(server.port(), Long.MAX_VALUE, Long.MAX_VALUE)) {
                exchange(tls, relay.port());
                up = relay.up();
                down = relay.down();
            }
            for (long bytes = 0; bytes < up; bytes += TLS_STEP) {
                resetThrough(encrypted.relay(server, bytes), port -> exchange(tls, port));
            }
            for (long bytes = 0; bytes < down; bytes += TLS_STEP) {
                resetThrough(new Relay(server.port(), Long.MAX_VALUE, bytes), port -> exchange(tls, port));
            }
            server.awaitNoEndPoints();
            exchange(tls, server.port());
        }
    }

    @Test
    void survivesAResetAnywhereInHttp2OverTls() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = new TestServer(s -> connectors.http2(s, tls)).start(ECHO)) {
            Encrypted encrypted = new Encrypted(server);
            long up;
            long down;
            try (Relay relay = new Relay(server.port(), Long.MAX_VALUE, Long.MAX_VALUE)) {
                exchangeHttp2(tls, relay.port());
                up = relay.up();
                down = relay.down();
            }
            for (long bytes = 0; bytes < up; bytes += TLS_STEP) {
                resetThrough(encrypted.relay(server, bytes), port -> exchangeHttp2(tls, port));
            }
            for (long bytes = 0; bytes < down; bytes += TLS_STEP) {
                resetThrough(new Relay(server.port(), Long.MAX_VALUE, bytes), port -> exchangeHttp2(tls, port));
            }
            server.awaitNoEndPoints();
            exchangeHttp2(tls, server.port());
        }
    }

    /** The TLS connection that was opened last. */
    private static final class Encrypted implements Connection.Listener {
        private volatile SslConnection last;

        private Encrypted(TestServer server) {
            server.connector().addBean(this);
        }

        @Override
        public void onOpened(Connection connection) {
            if (connection instanceof SslConnection ssl) {
                last = ssl;
            }
        }

        /** One that resets the connection when the server has read that many bytes of the client. */
        private Relay relay(TestServer server, long bytes) throws IOException {
            last = null;
            return new Relay(
                    server.port(),
                    bytes,
                    Long.MAX_VALUE,
                    () -> last != null
                            && (last.getBytesIn() >= bytes
                                    || !last.getEndPoint().isOpen()));
        }
    }

    /** A client's connection, from its begin to its end. */
    private interface Exchange {
        void with(int port) throws Exception;
    }

    private static void resetThrough(Relay through, Exchange exchange) throws Exception {
        try (through) {
            exchange.with(through.port());
        } catch (IOException expected) {
            // The relay has reset the connection.
        }
    }

    private static void exchange(Tls tls, int port) throws Exception {
        try (RawClient client = tls.connect(port)) {
            assertEquals("hello worldhello world", client.send(CHUNKED).answer().text());
        }
    }

    private static void exchangeHttp2(Tls tls, int port) throws Exception {
        try (RawClient client = tls.over(new Socket("127.0.0.1", port), "h2")) {
            assertEquals(
                    "hello worldhello world",
                    new Http2Frames(client)
                            .post("/echo", "hello world".getBytes(StandardCharsets.US_ASCII))
                            .content());
        }
    }
}
