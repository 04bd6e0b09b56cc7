package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ConnectHandler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What the limit of a head's time ends, though no head has begun, and what it leaves alone. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class SlowHeadContractTest {
    private static final int TIMEOUT_MILLIS = 500;
    private static final int PERIOD_MILLIS = 100;
    /** So many take longer than the timeout. */
    private static final int LOOKS = 2 + TIMEOUT_MILLIS / PERIOD_MILLIS;

    @TempDir
    static Path directory;

    @Parameter
    Connectors connectors;

    private final ScheduledExecutorService trickle = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stopTrickling() {
        trickle.shutdownNow();
    }

    private static final class Hello extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            Content.Sink.write(response, true, "hello", callback);
            return true;
        }
    }

    private static MillraceConnector connector(TestServer server) {
        return (MillraceConnector) server.connector();
    }

    private static void limit(TestServer server) {
        server.connector().getBean(SlowPeers.class).setPeriodMillis(PERIOD_MILLIS);
        connector(server).setRequestHeadTimeoutMillis(TIMEOUT_MILLIS);
    }

    private TestServer server() {
        TestServer server = new TestServer(connectors::http);
        limit(server);
        return server;
    }

    /** Waits until whoever has been slow from now on would have been found. */
    private static void awaitLooks(TestServer server) {
        SlowPeers slowPeers = server.connector().getBean(SlowPeers.class);
        long enough = slowPeers.getLooks() + LOOKS;
        Await.until("looked", () -> slowPeers.getLooks() >= enough);
    }

    private void trickle(RawClient client, byte[] bytes) {
        int[] next = {0};
        trickle.scheduleAtFixedRate(() -> {
            try {
                client.send(new byte[] {bytes[next[0]++ % bytes.length]});
            } catch (IOException closed) {
                trickle.shutdown();
            }
        }, 0, 50, TimeUnit.MILLISECONDS);
    }

    private static void awaitEnd(RawClient client) throws IOException {
        while (client.read() >= 0) {
            // An error may be answered first.
        }
    }

    @Test
    void endsTrickledLineEndsButNoQuietConnection() throws Exception {
        try (TestServer server = server().start(new Hello()); RawClient quiet = server.client();
                RawClient unused = server.client(); RawClient client = server.client()) {
            assertEquals("hello", quiet.get("/").answer().text());
            assertEquals("hello", client.get("/").answer().text());
            trickle(client, new byte[] {'\r', '\n'});
            awaitEnd(client);
            awaitLooks(server);
            assertEquals("hello", quiet.get("/").answer().text());
            assertEquals("hello", unused.get("/").answer().text());
            assertEquals(1, connector(server).getSlowHeads());
        }
    }

    @Test
    void leavesAPeerAloneThatAsksAgainAndAgain() throws Exception {
        try (TestServer server = server().start(new Hello()); RawClient client = server.client()) {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(3 * TIMEOUT_MILLIS)) {
                assertEquals("hello", client.send("\r\n").get("/").answer().text());
            }
            assertEquals(0, connector(server).getSlowHeads());
        }
    }

    private static RawClient connect(Tls tls, Socket plain) throws Exception {
        SSLSocket socket = (SSLSocket) tls.client().getSocketFactory().createSocket(plain, "localhost", plain.getPort(),
                true);
        socket.startHandshake();
        return new RawClient(socket);
    }

    @Test
    void endsARecordOfTlsThatIsTrickledButNoQuietConnection() throws Exception {
        Tls tls = new Tls(directory);
        TestServer server = new TestServer(s -> connectors.on(s, new SslConnectionFactory(tls.server(), "http/1.1"),
                new HttpConnectionFactory()));
        server.start(new Hello());
        try (server; Socket plain = new Socket("127.0.0.1", server.port());
                RawClient client = connect(tls, plain); RawClient quiet = tls.connect(server.port())) {
            assertEquals("hello", quiet.get("/").answer().text());
            assertEquals("hello", client.get("/").answer().text());
            // Not before: the handshakes, the JVM's first, may take longer on a busy machine.
            limit(server);
            // A record of 16 KB, of which most never comes.
            RawClient raw = new RawClient(plain);
            raw.send(new byte[] {0x17, 0x03, 0x03, 0x40, 0x00});
            trickle(raw, new byte[] {1});
            Await.until("ended", () -> connector(server).getSlowHeads() == 1);
            awaitLooks(server);
            assertEquals("hello", quiet.get("/").answer().text());
            assertEquals(1, connector(server).getSlowHeads());
        }
    }

    @Test
    void endsAProxyHeaderThatDoesNotCome() throws Exception {
        assertEndsAfter("PROXY TCP4 1.2", new ProxyConnectionFactory(), new HttpConnectionFactory());
    }

    @Test
    void endsARecordOfTlsThatIsToBeDetected() throws Exception {
        SslConnectionFactory ssl = new SslConnectionFactory(new Tls(directory).server(), "http/1.1");
        assertEndsAfter("\u0016", new DetectorConnectionFactory(ssl), new HttpConnectionFactory());
    }

    private void assertEndsAfter(String bytes, ConnectionFactory... factories) throws Exception {
        // Not a TestServer: Jetty's connections do not give their buffer back when they are closed in the middle of this.
        Server server = new Server();
        ServerConnector connector = connectors.on(server, factories);
        connector.getBean(SlowPeers.class).setPeriodMillis(PERIOD_MILLIS);
        ((MillraceConnector) connector).setRequestHeadTimeoutMillis(TIMEOUT_MILLIS);
        server.addConnector(connector);
        server.start();
        try (RawClient client = new RawClient(connector.getLocalPort())) {
            client.send(bytes);
            awaitEnd(client);
            assertEquals(1, ((MillraceConnector) connector).getSlowHeads());
        } finally {
            server.stop();
        }
    }

    @Test
    void leavesATunnelAlone() throws Exception {
        try (ServerSocket upstream = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                TestServer server = server().start(new ConnectHandler()); RawClient client = server.client()) {
            String target = "127.0.0.1:" + upstream.getLocalPort();
            client.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
            String status = client.line();
            assertTrue(status.contains("200"), status);
            while (!client.line().isEmpty()) {
                // The rest of the head.
            }
            try (Socket far = upstream.accept()) {
                awaitLooks(server);
                client.send("there");
                assertEquals("there", new String(far.getInputStream().readNBytes(5)));
                far.getOutputStream().write("back".getBytes());
                assertEquals("back", new String(client.in().readNBytes(4)));
                assertEquals(0, connector(server).getSlowHeads());
            }
        }
    }
}
