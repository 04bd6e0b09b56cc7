package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.ssl.SslConnection.SslEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Until when a handshake of TLS lasts: that it must not take too long says nothing of the connection after it. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class SlowHandshakeContractTest {
    private static final int TIMEOUT_MILLIS = 500;
    private static final int PERIOD_MILLIS = 100;
    /** So many take longer than the timeout. */
    private static final int LOOKS = 2 + TIMEOUT_MILLIS / PERIOD_MILLIS;

    @TempDir
    static Path directory;

    @Parameter
    Connectors connectors;

    private Tls tls;
    private SlowPeers slowPeers;

    /** Answers; to another handshake it asks the peer before, and its answer waits for that. */
    private static final class Answering extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            if (Request.getPathInContext(request).equals("/again")) {
                SslEndPoint endPoint = (SslEndPoint) request.getConnectionMetaData().getConnection().getEndPoint();
                endPoint.getSslConnection().getSSLEngine().beginHandshake();
            }
            Content.Sink.write(response, true, "hello", callback);
            return true;
        }
    }

    private TestServer server(String protocol) throws Exception {
        tls = new Tls(directory);
        SslContextFactory.Server context = tls.server();
        context.setIncludeProtocols(protocol);
        context.setRenegotiationAllowed(true);
        HttpConnectionFactory http = new HttpConnectionFactory(new HttpConfiguration());
        TestServer server = new TestServer(s -> connectors.on(s, new SslConnectionFactory(context, "http/1.1"), http));
        slowPeers = server.connector().getBean(SlowPeers.class);
        return server.start(new Answering());
    }

    // Not before the good peers' handshakes: the JVM's first may take longer on a busy machine.
    private void limit() {
        slowPeers.setPeriodMillis(PERIOD_MILLIS);
        slowPeers.setRequestHeadTimeoutMillis(TIMEOUT_MILLIS);
    }

    /** Waits until whoever has been slow from now on would have been found. */
    private void awaitLooks() {
        // The look that is planned already comes after the period that was.
        long enough = slowPeers.getLooks() + 1 + LOOKS;
        Await.until("looked", () -> slowPeers.getLooks() >= enough);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void isOverThoughTheServerHasEndedItsOutput(String protocol) throws Exception {
        try (TestServer server = server(protocol); RawClient client = tls.connect(server.port())) {
            assertEquals("hello", client.get("/").answer().text());
            limit();
            awaitLooks();
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertEquals("hello", client.answer().text());
            awaitLooks();
            assertEquals(0, slowPeers.getSlowHeads());
            assertEquals(1, server.connector().getConnectedEndPoints().size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "TLSv1.2")
    void isOverThoughAnotherHasBegun(String protocol) throws Exception {
        try (TestServer server = server(protocol); RawClient client = tls.connect(server.port())) {
            assertEquals("hello", client.get("/").answer().text());
            limit();
            // It takes part in the handshake only when it reads.
            client.get("/again");
            awaitLooks();
            assertEquals(0, slowPeers.getSlowHeads());
            assertEquals("hello", client.answer().text());
        }
    }

    /** TLS 1.3 lets a server speak before that. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void isNotOverBeforeThePeersLastWord(String protocol) throws Exception {
        try (TestServer server = server(protocol); RawClient good = tls.connect(server.port());
                RawClient client = server.client()) {
            assertEquals("hello", good.get("/").answer().text());
            client.send(hello());
            assertTrue(client.read() >= 0);
            limit();
            while (client.read() >= 0) {
                // The rest of the server's part of the handshake.
            }
            assertEquals(1, slowPeers.getSlowHeads());
            assertEquals("hello", good.get("/").answer().text());
        }
    }

    private byte[] hello() throws Exception {
        SSLEngine engine = tls.client().createSSLEngine("localhost", 443);
        engine.setUseClientMode(true);
        ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), record);
        byte[] bytes = new byte[record.flip().remaining()];
        record.get(bytes);
        return bytes;
    }
}
