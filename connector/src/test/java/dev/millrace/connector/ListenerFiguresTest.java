package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.RawClient;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** Live figures for applications, as a context attribute. */
class ListenerFiguresTest {
    private static final class Hello extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            response.write(true, ByteBuffer.wrap("hello".getBytes()), callback);
            return true;
        }
    }

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
        server.addBean(new ListenerFigures(server));
        ServerConnector nio = on(server, new NioConnector(server));
        on(server, new NioConnector(server));
        on(server, new ServerConnector(server)).setName("stock");
        ContextHandler context = new ContextHandler(new Hello(), "/app");
        ContextHandlerCollection contexts = new ContextHandlerCollection(true);
        contexts.addHandler(context);
        server.setHandler(contexts);
        server.start();
        try (RawClient client = new RawClient(nio.getLocalPort())) {
            client.get("/app/").answer();
            client.get("/app/").answer();
            Supplier<List<Map<String, Object>>> figures = (Supplier<List<Map<String, Object>>>) context.getContext()
                    .getAttribute(ListenerFigures.CONTEXT_ATTRIBUTE);
            List<Map<String, Object>> listeners = figures.get();
            assertEquals(List.of("BIO", "NIO", "NIO " + ((ServerConnector) server.getConnectors()[2]).getLocalPort(),
                    "stock"), listeners.stream().map(listener -> listener.get("name")).toList());
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
            assertNull(context.getAttribute(ListenerFigures.CONTEXT_ATTRIBUTE));
        } finally {
            server.stop();
        }
    }
}
