package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.WebConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.io.EndPoint;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection whose protocol a servlet has changed: what comes is no request's content any more, and may come when it likes. */
@Timeout(60)
class TunnelContractTest {
    private static final int GRACE_MILLIS = 300;
    private static final int PERIOD_MILLIS = 50;
    /** So many take longer than the grace. */
    private static final int LOOKS = 5 + GRACE_MILLIS / PERIOD_MILLIS;

    private static final Tls TLS = new Tls();

    /** Sends back what comes, until the end. */
    public static final class Echo implements HttpUpgradeHandler {
        @Override
        public void init(WebConnection connection) {
            new Thread(() -> echo(connection)).start();
        }

        private static void echo(WebConnection connection) {
            try (connection;
                    InputStream in = connection.getInputStream();
                    OutputStream out = connection.getOutputStream()) {
                byte[] buffer = new byte[100];
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    out.write(buffer, 0, n);
                    out.flush();
                }
            } catch (Exception ended) {
                // By the peer, by the idle timeout, or by the server's stop.
            }
        }

        @Override
        public void destroy() {
            // The thread ends by itself.
        }
    }

    private static final class Upgrading extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            response.setStatus(101);
            response.setHeader("Upgrade", "echo");
            response.setHeader("Connection", "Upgrade");
            request.upgrade(Echo.class);
        }
    }

    private static TestServer server(Connectors connectors, boolean secure) throws Exception {
        TestServer server = new TestServer(s -> secure ? connectors.https(s, TLS) : connectors.http(s));
        if (server.connector() instanceof MillraceConnector connector) {
            connector.getBean(ConnectionSweeper.class).setPeriodMillis(PERIOD_MILLIS);
            connector.setSlowPeerGraceMillis(GRACE_MILLIS);
            connector.setSlowRequestsAlwaysEnded(true);
        }
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder holder = new ServletHolder(new Upgrading());
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/*");
        return server.start(context);
    }

    private static EndPoint endPoint(TestServer server) {
        return server.connector().getConnectedEndPoints().iterator().next();
    }

    private static void assertEchoes(RawClient client, String line) throws IOException {
        client.send(line + "\r\n");
        assertEquals(line, client.line());
    }

    // A look finds somebody waiting for the peer, which sends less than content must come: nothing.
    private static void beSilent(TestServer server) {
        if (server.connector() instanceof MillraceConnector connector) {
            Await.until("waits for the peer", () -> ((MonitoredEndPoint) endPoint(server)).awaitsRead());
            ConnectionSweeper slowPeers = connector.getBean(ConnectionSweeper.class);
            long enough = slowPeers.getLooks() + LOOKS;
            Await.until("looked", () -> slowPeers.getLooks() >= enough);
            assertEquals(0, connector.getSlowRequests());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void maySaySeldomThings(boolean secure) throws Exception {
        AtOnce.on(Connectors.all(), connectors -> assertMaySaySeldomThings(connectors, secure));
    }

    private static void assertMaySaySeldomThings(Connectors connectors, boolean secure) throws Exception {
        try (TestServer server = server(connectors, secure);
                RawClient client = secure ? TLS.connect(server.port()) : server.client()) {
            // Of a request without content Jetty takes what follows for the next request, whatever the servlet has made
            // of it.
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n");
            assertEquals(101, client.answer().status());
            beSilent(server);
            assertEchoes(client, "hello");
            beSilent(server);
            assertEchoes(client, "still there");
            endPoint(server).setIdleTimeout(300);
            assertEquals(-1, client.read());
            server.awaitNoEndPoints();
        }
    }
}
