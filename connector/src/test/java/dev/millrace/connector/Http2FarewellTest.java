package dev.millrace.connector;

import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Relay;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What HTTP/2 writes when it hears that its connection has ended fails also where TLS has yet to write something of its own. */
@Timeout(60)
class Http2FarewellTest {
    private static final int STEP = 23;

    private static final Handler ECHO = Handlers.echo();

    /** Is being opened until the connection has ended: the thread that opens it tells of the end, too. */
    private static final class LongOpening extends SslConnectionFactory {
        private LongOpening(Tls tls) {
            super(tls.server(), "alpn");
        }

        @Override
        protected SslConnection newSslConnection(Connector connector, EndPoint endPoint, SSLEngine engine) {
            return new SslConnection(
                    connector.getByteBufferPool(),
                    connector.getExecutor(),
                    getSslContextFactory(),
                    endPoint,
                    engine,
                    false,
                    false) {
                @Override
                public void onOpen() {
                    super.onOpen();
                    Await.until("end", () -> !endPoint.isOpen());
                }
            };
        }
    }

    private static void exchange(Tls tls, int port) throws Exception {
        try (RawClient client = tls.over(new Socket("127.0.0.1", port), "h2")) {
            new Http2Frames(client)
                    .post("/echo", "hello world".getBytes(StandardCharsets.UTF_8))
                    .content();
        }
    }

    private static void resetThrough(Relay through, Tls tls) throws Exception {
        try (through) {
            exchange(tls, through.port());
        } catch (IOException expected) {
            // The relay has reset the connection.
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#threads")
    void failsWhenTheConnectionHasEnded(String threads) throws Exception {
        Tls tls = new Tls();
        // Closing the server checks that no buffer is left.
        try (TestServer server = new TestServer(s -> {
                    BioConnector connector = new BioConnector(
                            s,
                            new LongOpening(tls),
                            new ALPNServerConnectionFactory("h2"),
                            new HTTP2ServerConnectionFactory(new HttpConfiguration()));
                    connector.setThreads(threads);
                    return connector;
                })
                .start(ECHO)) {
            long up;
            long down;
            try (Relay relay = new Relay(server.port(), Long.MAX_VALUE, Long.MAX_VALUE)) {
                exchange(tls, relay.port());
                up = relay.up();
                down = relay.down();
            }
            for (long bytes = 0; bytes < up; bytes += STEP) {
                resetThrough(new Relay(server.port(), bytes, Long.MAX_VALUE), tls);
            }
            for (long bytes = 0; bytes < down; bytes += STEP) {
                resetThrough(new Relay(server.port(), Long.MAX_VALUE, bytes), tls);
            }
            server.awaitNoEndPoints();
        }
    }
}
