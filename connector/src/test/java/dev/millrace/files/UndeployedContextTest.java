package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A context is undeployed while it has a request of several ranges: the request's thread goes on with others. */
@Timeout(60)
class UndeployedContextTest {
    @TempDir
    Path directory;

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch undeployed = new CountDownLatch(1);
    // One thread serves all requests of a connection.
    private final TestServer server = new TestServer(Connectors.BIO_PLATFORM::http);
    private final ContextHandlerCollection contexts = new ContextHandlerCollection(true);
    private byte[] bytes;

    @BeforeEach
    void deploy() throws Exception {
        bytes = TestFiles.write(directory, "file.bin", 100_000);
        ResourceHandler resources = new ResourceHandler();
        resources.setBaseResourceAsString(directory.toString());
        contexts.addHandler(new ContextHandler(resources, "/staying"));
        server.server().addBean(new ServerSendfile(server.server()));
        server.start(contexts);
    }

    private void answer() throws InterruptedException {
        entered.countDown();
        assertTrue(undeployed.await(30, TimeUnit.SECONDS));
    }

    private void checkUndeployed(ContextHandler leaving) throws Exception {
        try (server;
                RawClient client = server.client()) {
            client.get("/leaving/", "Range: bytes=0-1,2-3");
            assertTrue(entered.await(30, TimeUnit.SECONDS));
            leaving.stop();
            contexts.removeHandler(leaving);
            undeployed.countDown();
            assertEquals(200, client.answer().status());
            Answer staying = client.get("/staying/file.bin").answer();
            assertEquals(200, staying.status(), staying.text());
            assertArrayEquals(bytes, staying.body());
        }
    }

    @Test
    void leavesNothingOfItsRequestOnTheThread() throws Exception {
        ContextHandler leaving = new ContextHandler(
                Handlers.of((request, response, callback) -> {
                    answer();
                    callback.succeeded();
                }),
                "/leaving");
        contexts.addHandler(leaving);
        leaving.start();
        checkUndeployed(leaving);
    }

    /** With its stop, Jetty's context of servlets drops what has begun to listen after its start. */
    @Test
    void leavesNothingOfItsRequestOnTheThreadWhereItWasStartedBefore() throws Exception {
        ServletContextHandler leaving = new ServletContextHandler("/leaving");
        leaving.addServlet(
                new HttpServlet() {
                    @Override
                    protected void doGet(HttpServletRequest request, HttpServletResponse response)
                            throws ServletException {
                        try {
                            answer();
                        } catch (InterruptedException x) {
                            throw new ServletException(x);
                        }
                    }
                },
                "/*");
        leaving.setServer(server.server());
        leaving.start();
        contexts.addHandler(leaving);
        checkUndeployed(leaving);
    }
}
