package dev.millrace.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.connector.TlsConnectionFactory;
import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Tls;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.LowResourceMonitor;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.component.Container;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;

/** Live figures for applications, as a context attribute. */
class ConnectorMonitorTest {
    private static final int LARGE_BYTES = 100_000;

    private static ServerConnector on(Server server, ServerConnector connector) {
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        return connector;
    }

    @Test
    @SuppressWarnings("unchecked")
    void applicationsSeeEachConnector() throws Exception {
        Server server = new Server();
        on(server, new BioConnector(server));
        server.addBean(new ConnectorMonitor(server));
        ServerConnector nio = on(server, new NioConnector(server));
        on(server, new NioConnector(server));
        on(server, new ServerConnector(server)).setName("stock");
        ContextHandler context = new ContextHandler(Handlers.hello(), "/app");
        ContextHandlerCollection contexts = new ContextHandlerCollection(true);
        contexts.addHandler(context);
        server.setHandler(contexts);
        server.start();
        try (RawClient client = new RawClient(nio.getLocalPort())) {
            client.get("/app/").answer();
            client.get("/app/").answer();
            Supplier<List<Map<String, Object>>> figures = (Supplier<List<Map<String, Object>>>)
                    context.getContext().getAttribute(ConnectorMonitor.CONTEXT_ATTRIBUTE);
            List<Map<String, Object>> listeners = figures.get();
            assertEquals(
                    List.of(
                            "BIO",
                            "NIO",
                            "NIO " + ((ServerConnector) server.getConnectors()[2]).getLocalPort(),
                            "stock"),
                    listeners.stream().map(listener -> listener.get("name")).toList());
            Map<String, Object> second = listeners.get(1);
            assertEquals("http://127.0.0.1:" + nio.getLocalPort(), second.get("url"));
            assertEquals(NioConnector.class.getName(), second.get("connector"));
            assertEquals(2L, second.get("requests"));
            assertEquals(1L, second.get("accepted"));
            assertEquals(1, second.get("connections"));
            assertTrue((long) second.get("bytesByCopy") > 10, second.toString());
            assertEquals(0L, listeners.get(0).get("requests"));
            client.close();
            Await.until("closed", () -> figures.get().get(1).get("connections").equals(0));
            assertEquals(2L, figures.get().get(1).get("requests"));
            contexts.removeHandler(context);
            assertNull(context.getAttribute(ConnectorMonitor.CONTEXT_ATTRIBUTE));
        } finally {
            server.stop();
        }
    }

    /** Jetty's collection does not manage what it is given while it runs: listeners hear nothing of what is in there. */
    @Test
    void anApplicationInAHandlerThatCameLaterSeesThem() throws Exception {
        Server server = new Server();
        ConnectorMonitor monitor = new ConnectorMonitor(server);
        server.addBean(monitor);
        ContextHandlerCollection contexts = new ContextHandlerCollection(true);
        server.setHandler(contexts);
        server.start();
        try {
            ContextHandler context = new ContextHandler(Handlers.hello(), "/app");
            Handler added = new GracefulHandler(context);
            contexts.addHandler(added);
            assertSame(monitor, context.getAttribute(ConnectorMonitor.CONTEXT_ATTRIBUTE));
            contexts.removeHandler(added);
            assertNull(context.getAttribute(ConnectorMonitor.CONTEXT_ATTRIBUTE));
        } finally {
            server.stop();
        }
    }

    @Test
    void jettysMonitorOfLowResourcesMayChangeWhileTheServerRuns() throws Exception {
        Server server = new Server();
        server.addBean(new ConnectorMonitor(server));
        LowResourceMonitor monitor = new LowResourceMonitor(server);
        server.addManaged(monitor);
        server.start();
        try {
            monitor.setMonitorThreads(!monitor.getMonitorThreads());
        } finally {
            server.stop();
        }
    }

    /**
     * As a reader of the figures may, in the instant in which the connector is one of the server's, and nobody counts
     * for it yet.
     */
    @Test
    void leavesOutAConnectorThatIsBeingAdded() {
        Server server = new Server();
        ConnectorMonitor figures = new ConnectorMonitor(server);
        List<List<Object>> names = new ArrayList<>();
        // Told before the figures are.
        server.addEventListener(new Container.Listener() {
            @Override
            public void beanAdded(Container parent, Object child) {
                if (child instanceof ServerConnector) {
                    names.add(figures.get().stream()
                            .map(listener -> listener.get("name"))
                            .toList());
                }
            }

            @Override
            public void beanRemoved(Container parent, Object child) {}
        });
        server.addBean(figures);
        on(server, new NioConnector(server)).setName("first");
        on(server, new NioConnector(server)).setName("second");
        assertEquals(List.of(List.of(), List.of("first")), names);
        assertEquals(
                List.of("first", "second"),
                figures.get().stream().map(listener -> listener.get("name")).toList());
    }

    private static final class Busy extends QueuedThreadPool {
        private final int idle;

        private Busy(int idle) {
            this.idle = idle;
        }

        @Override
        public int getThreads() {
            return 7;
        }

        @Override
        public int getIdleThreads() {
            return idle;
        }
    }

    @Test
    void showsTheThreadsOfAPoolThatAConnectorHasToItself() {
        Server server = new Server();
        ConnectorMonitor figures = new ConnectorMonitor(server);
        server.addBean(figures);
        on(server, new NioConnector(server, new Busy(3), null, null, 1, 1));
        on(server, new ServerConnector(server, new Busy(3), null, null, 1, 1));
        on(server, new NioConnector(server));
        assertEquals(
                List.of(4, 4, 0),
                figures.get().stream().map(listener -> listener.get("threads")).toList());
        assertEquals(
                List.of(false, false, true),
                figures.get().stream()
                        .map(listener -> listener.get("threadsShared"))
                        .toList());
    }

    /** As a look at the idle ones does that comes after others have been added, and are idle. */
    @Test
    void showsNoFewerThreadsThanNone() {
        Server server = new Server();
        ConnectorMonitor figures = new ConnectorMonitor(server);
        server.addBean(figures);
        on(server, new NioConnector(server, new Busy(9), null, null, 1, 1));
        assertEquals(0, figures.get().get(0).get("threads"));
    }

    /** Of a connector that counts nothing else, while a connection is open and when it is closed. */
    private static void assertCountsBytesOnce(Tls tls, ConnectionFactory... factories) throws Exception {
        Server server = new Server();
        ServerConnector connector = on(server, new ServerConnector(server, factories));
        ConnectorMonitor figures = new ConnectorMonitor(server);
        server.addBean(figures);
        server.setHandler(Handlers.of((request, response, callback) -> {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, LARGE_BYTES);
            response.write(true, ByteBuffer.allocate(LARGE_BYTES), callback);
        }));
        server.start();
        Socket plain = new Socket("127.0.0.1", connector.getLocalPort());
        boolean isProxyFirst = factories[0] instanceof ProxyConnectionFactory;
        byte[] header = "PROXY TCP4 10.1.2.3 10.4.5.6 1000 2000\r\n".getBytes(StandardCharsets.US_ASCII);
        if (isProxyFirst) {
            plain.getOutputStream().write(header);
        }
        try (RawClient client = tls == null ? new RawClient(plain) : tls.over(plain)) {
            if (!isProxyFirst) {
                client.send(header);
            }
            assertEquals(LARGE_BYTES, client.get("/").answer().body().length);
            assertOnce(figures);
            client.close();
            Await.until("closed", () -> figures.get().get(0).get("connections").equals(0));
            assertOnce(figures);
        } finally {
            server.stop();
        }
    }

    private static void assertOnce(ConnectorMonitor figures) {
        Supplier<Long> bytes = () -> (Long) figures.get().get(0).get("bytesByCopy");
        // The client may have read what the server is about to count.
        Await.until(
                "counted", () -> bytes.get() > LARGE_BYTES, () -> figures.get().toString());
        assertTrue(bytes.get() < 2 * LARGE_BYTES, figures.get().toString());
    }

    @Test
    void countsBytesBehindAProxy() throws Exception {
        Tls tls = new Tls();
        assertCountsBytesOnce(null, new ProxyConnectionFactory("http/1.1"), new HttpConnectionFactory());
        assertCountsBytesOnce(
                tls,
                new ProxyConnectionFactory("ssl"),
                new TlsConnectionFactory(tls.server(), "http/1.1"),
                new HttpConnectionFactory());
        assertCountsBytesOnce(
                tls,
                new TlsConnectionFactory(tls.server(), "[proxy]"),
                new ProxyConnectionFactory("http/1.1"),
                new HttpConnectionFactory());
    }
}
