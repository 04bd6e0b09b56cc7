package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Components;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Attributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What an idle connection gives up, and that nobody misses it. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class IdleConnectionTest {
    @Parameter
    Connectors connectors;

    /** Answers the content of a POST, in two pieces, and a GET by its query. */
    private static final class Echo extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print(request.getQueryString());
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            byte[] content = request.getInputStream().readAllBytes();
            response.getOutputStream().write(content, 0, content.length / 2);
            response.flushBuffer();
            response.getOutputStream().write(content, content.length / 2, content.length - content.length / 2);
        }
    }

    private TestServer server(long restMillis, long periodMillis) throws Exception {
        TestServer server = new TestServer(connectors::http);
        ConnectionSweeper slowPeers = server.sweeper();
        slowPeers.setRestMillis(restMillis);
        slowPeers.setPeriodMillis(periodMillis);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(new ServletHolder(new Echo()), "/*");
        return server.start(context);
    }

    private static Attributes cache(TestServer server) {
        MonitoredEndPoint endPoint = (MonitoredEndPoint)
                server.connector().getConnectedEndPoints().iterator().next();
        return ((Components) ((HttpConnection) endPoint.getConnection()).getHttpChannel()).getCache();
    }

    @Test
    void givesUpTheServletsChannel() throws Exception {
        // The test looks. A look counts for those that have rested for less than two periods more: it may be late, on a
        // busy machine.
        try (TestServer server = server(Long.MAX_VALUE / 2, TimeUnit.HOURS.toMillis(1));
                RawClient client = server.client()) {
            for (int i = 0; i < 3; i++) {
                assertEquals("n=" + i, client.get("/?n=" + i).answer().text());
                assertFalse(cache(server).getAttributeNameSet().isEmpty());
            }
            server.sweeper().look();
            assertFalse(cache(server).getAttributeNameSet().isEmpty());
            server.sweeper().setRestMillis(100);
            assertEquals("n=4", client.get("/?n=4").answer().text());
            Await.until("given up", () -> {
                server.sweeper().look();
                return cache(server).getAttributeNameSet().isEmpty();
            });
            assertEquals("n=5", client.get("/?n=5").answer().text());
        }
    }

    @Test
    void isNotMissedByRequestsThatBeginMeanwhile() throws Exception {
        // Every connection gives up, at every look, whatever it does.
        try (TestServer server = server(0, 1)) {
            List<CompletableFuture<Void>> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String content = Integer.toString(i).repeat(1000);
                // The common pool may have a single thread.
                clients.add(
                        CompletableFuture.runAsync(() -> exchange(server, content), task -> new Thread(task).start()));
            }
            clients.forEach(CompletableFuture::join);
        }
    }

    private static void exchange(TestServer server, String content) {
        try (RawClient client = server.client()) {
            for (int i = 0; i < 300; i++) {
                assertEquals("n=" + i, client.get("/?n=" + i).answer().text());
                client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + content.length() + "\r\n\r\n"
                        + content);
                assertEquals(content, client.answer().text());
            }
        } catch (Exception x) {
            throw new IllegalStateException(x);
        }
    }
}
