package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A multiplexed protocol leaves the thread of its blocking connection to a selector; HTTP/1.1 does not. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#threads")
@Timeout(60)
class SelectedChannelTest {
    private static final Handler HELLO =
            Handlers.text(request -> Thread.currentThread().getName());

    private final HttpConfiguration configuration = new HttpConfiguration();

    @Parameter
    String threads;

    private TestServer server(ConnectionFactory... factories) throws Exception {
        return new TestServer(server -> {
                    BioConnector connector = new BioConnector(server, factories);
                    connector.setThreads(threads);
                    return connector;
                })
                .start(HELLO);
    }

    private static boolean isBlocking(TestServer server) {
        EndPoint endPoint =
                server.connector().getConnectedEndPoints().iterator().next();
        return ((SocketChannel) endPoint.getTransport()).isBlocking();
    }

    private static void awaitNoThread(TestServer server) {
        BioConnector bio = (BioConnector) server.connector();
        Await.until("no thread of a connection", () -> bio.getConnectionThreadCount() == 0);
        assertFalse(isBlocking(server));
        Await.until("registered", () -> bio.getSelectorManager().getTotalKeys() == 1);
    }

    @Test
    void keepsAThreadForHttp1() throws Exception {
        try (TestServer server = server(new HttpConnectionFactory());
                RawClient client = server.client()) {
            for (int i = 0; i < 3; i++) {
                client.get("/").answer();
            }
            assertEquals(1, ((BioConnector) server.connector()).getConnectionThreadCount());
            assertTrue(isBlocking(server));
            assertEquals(0, server.connector().getSelectorManager().getTotalKeys());
        }
    }

    @Test
    void leavesTheThreadForHttp2ByPriorKnowledge() throws Exception {
        try (TestServer server = server(
                        new HttpConnectionFactory(configuration), new HTTP2CServerConnectionFactory(configuration));
                RawClient client = server.client()) {
            Http2Frames frames = Http2Frames.get(client, "/");
            assertFalse(frames.content().isEmpty());
            awaitNoThread(server);
            // From then on the server's pool serves it.
            String thread = frames.get("/").content();
            assertTrue(thread.startsWith("test-"), thread);
            awaitNoThread(server);
            client.close();
            server.awaitNoEndPoints();
            Await.until(
                    "forgotten", () -> server.connector().getSelectorManager().getTotalKeys() == 0);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    private static PassiveProtocol multiplexed() {
        return new PassiveProtocol() {
            @Override
            Passive newPassive(Connector connector, EndPoint endPoint) {
                return new PassiveConnection(endPoint, connector);
            }
        };
    }

    @Test
    void tellsOfTheEndWhoAsksForBytesAfterIt() throws Exception {
        PassiveProtocol protocol = multiplexed();
        try (TestServer server = server(protocol);
                RawClient unused = server.client()) {
            EndPoint endPoint = protocol.awaitOpened().getEndPoint();
            endPoint.fillInterested(Callback.NOOP);
            awaitNoThread(server);
            endPoint.close();
            Callback.Completable fillable = new Callback.Completable();
            endPoint.fillInterested(fillable);
            assertThrows(ExecutionException.class, () -> fillable.get(30, TimeUnit.SECONDS));
        }
    }

    /** The selector would keep the socket beyond its end, until something else wakes it. */
    @Test
    void isForgottenWhenItLingersBeforeItIsRegistered() throws Exception {
        PassiveProtocol protocol = multiplexed();
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch updated = new CountDownLatch(1);
        try (TestServer server = server(protocol);
                RawClient unused = server.client()) {
            BioConnector bio = (BioConnector) server.connector();
            EndPoint endPoint = protocol.awaitOpened().getEndPoint();
            ManagedSelector selector = bio.getSelectorManager().getBean(ManagedSelector.class);
            selector.submit(keys -> await(released));
            endPoint.fillInterested(Callback.NOOP);
            endPoint.shutdownOutput();
            endPoint.close();
            assertEquals(1, bio.getLingeringConnections());
            selector.submit(keys -> updated.countDown());
            released.countDown();
            await(updated);
            Await.until("forgotten", () -> bio.getSelectorManager().getTotalKeys() == 0);
        } finally {
            released.countDown();
        }
    }

    @Test
    void leavesTheThreadAfterAlpn() throws Exception {
        Tls tls = new Tls();
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
        alpn.setDefaultProtocol("http/1.1");
        try (TestServer server = server(
                new TlsConnectionFactory(tls.server(), alpn.getProtocol()),
                alpn,
                new HTTP2ServerConnectionFactory(configuration),
                new HttpConnectionFactory(configuration))) {
            HttpClient client = HttpClient.newBuilder().sslContext(tls.client()).build();
            HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/"))
                    .build();
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
                assertEquals(HttpClient.Version.HTTP_2, answer.version());
                awaitNoThread(server);
            }
            server.connector().getConnectedEndPoints().forEach(EndPoint::close);
            server.awaitNoEndPoints();
        }
    }
}
