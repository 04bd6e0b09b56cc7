package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Which frames of HTTP/2 that come by drops are slow heads of requests, and which are not. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class SlowFrameContractTest {
    private static final int TIMEOUT_MILLIS = 1000;
    private static final int PERIOD_MILLIS = 50;
    /** So many take longer than the timeout. */
    private static final int LOOKS = 2 + TIMEOUT_MILLIS / PERIOD_MILLIS;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int CONTINUATION = 9;
    /** Of no type that there is. */
    private static final int UNKNOWN = 42;

    private static final int END_HEADERS = 4;
    private static final int END_STREAM = 1;
    /** A field of HPACK's static table (RFC 7541, appendix A): accept-encoding. */
    private static final byte FIELD = (byte) 0x90;

    @Parameter
    Connectors connectors;

    private final ScheduledExecutorService trickle = Executors.newSingleThreadScheduledExecutor();
    private ServerConnector connector;

    @AfterEach
    void stop() throws Exception {
        trickle.shutdownNow();
        connector.getServer().stop();
    }

    /** Answers a POST with the length of its content, and /events by a byte at each look for longer than heads may take. */
    private final Handler application = Handlers.of((request, response, callback) -> {
        if (Request.getPathInContext(request).equals("/events")) {
            for (int i = 0; i < LOOKS; i++) {
                long looks = slowPeers().getLooks();
                Await.until("looked", () -> slowPeers().getLooks() > looks);
                Content.Sink.write(response, false, ByteBuffer.wrap(new byte[] {'e'}));
            }
            response.write(true, ByteBuffer.allocate(0), callback);
            return;
        }
        int length = Content.Source.asByteBuffer(request).remaining();
        Content.Sink.write(response, true, "had " + length, callback);
    });

    private TestServer server(ConnectionFactory... factories) {
        TestServer server = new TestServer(s -> connectors.on(s, factories));
        connector = server.connector();
        slowPeers().setPeriodMillis(PERIOD_MILLIS);
        return server;
    }

    private TestServer start() throws Exception {
        TestServer server = server(new HTTP2CServerConnectionFactory(new HttpConfiguration()));
        limit();
        return server.start(application);
    }

    // Not a TestServer: Jetty's parser does not give the beginning of a head back when the connection is closed.
    private RawClient startUntracked() throws Exception {
        Server server = new Server();
        connector = connectors.http2(server);
        server.addConnector(connector);
        slowPeers().setPeriodMillis(PERIOD_MILLIS);
        limit();
        server.setHandler(application);
        server.start();
        return new RawClient(connector.getLocalPort());
    }

    private void limit() {
        ((MillraceConnector) connector).setRequestHeadTimeoutMillis(TIMEOUT_MILLIS);
    }

    private ConnectionSweeper slowPeers() {
        return connector.getBean(ConnectionSweeper.class);
    }

    /** Waits until a peer that has been slow from now on would have been found. */
    private void awaitLooks() {
        long enough = slowPeers().getLooks() + LOOKS;
        Await.until("looked", () -> slowPeers().getLooks() >= enough);
    }

    /** Sends one byte after the other, and the last one again and again. */
    private void trickle(RawClient client, byte... bytes) {
        int[] next = {0};
        var unused = trickle.scheduleAtFixedRate(
                () -> {
                    try {
                        client.send(new byte[] {bytes[Math.min(next[0]++, bytes.length - 1)]});
                    } catch (IOException closed) {
                        trickle.shutdown();
                    }
                },
                0,
                50,
                TimeUnit.MILLISECONDS);
    }

    /** A frame without its payload, but for the beginning (RFC 9113 section 4.1). */
    private static byte[] frame(int type, int flags, int stream, int length, byte... begin) {
        return ByteBuffer.allocate(9 + begin.length)
                .put((byte) 0)
                .putShort((short) length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(begin)
                .array();
    }

    private void assertEnds(RawClient client) throws IOException {
        while (client.read() >= 0) {
            // What the server has said before.
        }
        assertEquals(1, slowPeers().getSlowHeads());
    }

    @Test
    void endsAPrefaceThatIsTrickled() throws Exception {
        try (TestServer server = start();
                RawClient client = server.client();
                RawClient good = server.client()) {
            // The connection's first frame belongs to it (RFC 9113 section 3.4).
            client.send("PRI * HTTP/2.0\r\n");
            byte[] rest = "\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            byte[] settings = frame(SETTINGS, 0, 0, 60 * 6, (byte) 0);
            trickle(
                    client,
                    ByteBuffer.allocate(rest.length + settings.length)
                            .put(rest)
                            .put(settings)
                            .array());
            assertEnds(client);
            assertEquals("had 0", Http2Frames.get(good, "/").content());
        }
    }

    @Test
    void endsAHeadThatIsTrickledThoughTheServerSends() throws Exception {
        try (RawClient client = startUntracked()) {
            new Http2Frames(client).get("/events");
            trickle(client, frame(HEADERS, END_HEADERS | END_STREAM, 3, 4000, FIELD));
            assertEnds(client);
        }
    }

    @Test
    void endsAHeadOfFramesWithoutEnd() throws Exception {
        try (RawClient client = startUntracked()) {
            assertEquals("had 0", new Http2Frames(client).get("/").content());
            client.send(frame(HEADERS, END_STREAM, 3, 1, FIELD));
            byte[] frame = frame(CONTINUATION, 0, 3, 1, FIELD);
            var unused = trickle.scheduleAtFixedRate(() -> send(client, frame), 0, 50, TimeUnit.MILLISECONDS);
            assertEnds(client);
        }
    }

    private void send(RawClient client, byte[] frame) {
        try {
            client.send(frame);
        } catch (IOException closed) {
            trickle.shutdown();
        }
    }

    @Test
    void endsARecordOfTlsThatIsTrickled() throws Exception {
        Tls tls = new Tls();
        HttpConfiguration https = new HttpConfiguration();
        https.addCustomizer(new SecureRequestCustomizer());
        TestServer server = server(
                connectors.tls(tls.server(), "alpn"),
                new ALPNServerConnectionFactory("h2"),
                new HTTP2ServerConnectionFactory(https));
        server.start(application);
        try (server;
                Socket plain = new Socket("127.0.0.1", server.port());
                RawClient client = tls.over(plain, "h2")) {
            assertEquals("had 0", new Http2Frames(client).get("/").content());
            // Not before: the handshake, the JVM's first, may take longer on a busy machine.
            limit();
            awaitLooks();
            assertEquals(0, slowPeers().getSlowHeads());
            RawClient raw = new RawClient(plain);
            // A record of 16 KB, of which most never comes.
            raw.send(new byte[] {0x17, 0x03, 0x03, 0x40, 0x00});
            trickle(raw, (byte) 1);
            Await.until("ended", () -> slowPeers().getSlowHeads() == 1);
            server.awaitNoEndPoints();
        }
    }

    @Test
    void leavesAPeerAloneToWhomTheServerSends() throws Exception {
        try (TestServer server = start();
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client);
            assertEquals(LOOKS, frames.get("/events").content().length());
            assertEquals("had 0", frames.get("/").content());
            awaitLooks();
            assertEquals(0, slowPeers().getSlowHeads());
            assertEquals("had 0", frames.get("/").content());
        }
    }

    @Test
    void leavesContentAlone() throws Exception {
        try (TestServer server = start();
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client);
            int stream = frames.post("/");
            client.send(frame(DATA, END_STREAM, stream, 1 + 2 * LOOKS));
            for (int i = 0; i < 2 * LOOKS; i++) {
                client.send(new byte[1]);
                long looks = slowPeers().getLooks();
                Await.until("looked", () -> slowPeers().getLooks() > looks);
            }
            client.send(new byte[1]);
            assertEquals("had " + (1 + 2 * LOOKS), frames.content());
            assertEquals(0, slowPeers().getSlowHeads());
        }
    }

    @Test
    void leavesAPeerAloneThatSaysNoMore() throws Exception {
        try (TestServer server = start();
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client);
            assertEquals("had 0", frames.get("/").content());
            awaitLooks();
            client.send(frame(UNKNOWN, 0, 0, 1, (byte) 1));
            awaitLooks();
            assertEquals("had 0", frames.get("/").content());
            assertEquals(0, slowPeers().getSlowHeads());
        }
    }

    @Test
    void leavesAPeerAloneThatPings() throws Exception {
        try (TestServer server = start();
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client);
            assertEquals("had 0", frames.get("/").content());
            for (int i = 0; i < 2 * LOOKS; i++) {
                client.send(frame(PING, 0, 0, 8, new byte[8]));
                long looks = slowPeers().getLooks();
                Await.until("looked", () -> slowPeers().getLooks() > looks);
            }
            assertEquals("had 0", frames.get("/").content());
            assertEquals(0, slowPeers().getSlowHeads());
        }
    }
}
