package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A thread that lives as long as a connection carries nothing of one request into the next. */
@Timeout(60)
class RequestIsolationTest {
    private static final ClassLoader ONE = new ClassLoader("one", RequestIsolationTest.class.getClassLoader()) {};

    /** What the current thread thinks of itself. */
    private static String thread(Request request) {
        ContextHandler context = ContextHandler.getCurrentContextHandler();
        return (context == null ? "none" : context.getContextPath()) + " "
                + (Thread.currentThread().getContextClassLoader() == ONE) + " "
                + Thread.currentThread().isInterrupted() + " "
                + (HttpConnection.getCurrentConnection()
                        == request.getConnectionMetaData().getConnection());
    }

    private static ContextHandler context(String path, ClassLoader loader) {
        ContextHandler context = new ContextHandler(
                Handlers.of((request, response, callback) -> {
                    String before = (String) request.getAttribute("before");
                    Content.Sink.write(response, true, before + ", " + thread(request), callback);
                    Thread.currentThread().interrupt();
                }),
                path);
        context.setClassLoader(loader);
        return context;
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void startsEveryRequestAfresh(Connectors connectors) throws Exception {
        Handler contexts = new ContextHandlerCollection(context("/one", ONE), context("/two", null));
        Handler before = Handlers.around(contexts, (request, response, callback) -> {
            request.setAttribute("before", thread(request));
            return contexts.handle(request, response, callback);
        });
        try (TestServer server = new TestServer(connectors::http).start(before);
                RawClient client = server.client();
                RawClient other = server.client()) {
            for (int i = 0; i < 5; i++) {
                assertEquals(
                        "none false false true, /one true false true",
                        client.get("/one/").answer().text());
                assertEquals(
                        "none false false true, /two false false true",
                        other.get("/two/").answer().text());
                assertEquals(
                        "none false false true, /two false false true",
                        client.get("/two/").answer().text());
            }
        }
    }
}
