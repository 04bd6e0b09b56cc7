package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Renegotiating;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ReservedThreadExecutor;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One selector whose thread runs servlets, which it should not: they block, and yet the others are served. */
@Timeout(180)
class SelectorDispatchTest {
    private static final byte[] LARGE = RandomBytes.of(10_000_000);

    private final CountDownLatch release = new CountDownLatch(1);
    private final Set<Thread> handlers = ConcurrentHashMap.newKeySet();
    /** The requests that are about to wait for content, or to be released. */
    private final CompletableFuture<Thread> waiting = new CompletableFuture<>();

    /** /large: 10 MB; /wait: until released; a POST: as many bytes as were read. All of it blocks. */
    private final class Blocking extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            handlers.add(Thread.currentThread());
            if (request.getRequestURI().equals("/large")) {
                response.setContentLength(LARGE.length);
                response.getOutputStream().write(LARGE);
            } else {
                if (request.getRequestURI().equals("/wait")) {
                    awaitRelease();
                }
                response.getOutputStream().print("fine");
            }
        }

        private void awaitRelease() throws IOException {
            waiting.complete(Thread.currentThread());
            try {
                release.await();
            } catch (InterruptedException x) {
                throw new IOException(x);
            }
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            waiting.complete(Thread.currentThread());
            response.getOutputStream().print(request.getInputStream().readAllBytes().length);
        }
    }

    private TestServer server() {
        return new TestServer(Connectors.NIO_SELECTOR::http);
    }

    private static TestServer serverOfShortLooks(ConnectionFactory... factories) {
        return new TestServer(s -> {
            NioConnector connector = new NioConnector(s, null, new ShortLooks(), null, 1, 1, factories);
            connector.setDispatch("selector");
            return connector;
        });
    }

    private TestServer start(TestServer server) throws Exception {
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(new ServletHolder(new Blocking()), "/*");
        return server.start(context);
    }

    private static SelectorStatistics statistics(TestServer server) {
        return ((NioConnector) server.connector()).getSelectorStatistics();
    }

    private static void assertServes(TestServer server) throws Exception {
        try (RawClient client = server.client()) {
            assertEquals("fine", client.get("/").answer().text());
            assertEquals("fine", client.get("/").answer().text());
        }
    }

    private void awaitWaitingHandler() throws Exception {
        Thread thread = waiting.get(30, TimeUnit.SECONDS);
        Await.until("waits", () -> thread.getState() == Thread.State.WAITING);
    }

    private static void awaitBlockedWrites(TestServer server, int count) {
        Await.until("writes wait", () -> statistics(server).getConnectionsInWrite() == count);
    }

    /** No look after a second: a busy machine may let any thread stand still for as long, and another would select in its stead. */
    @Test
    void servesInTheSelectorsThread() throws Exception {
        try (TestServer server = start(serverOfShortLooks(new HttpConnectionFactory()));
                RawClient client = server.client()) {
            for (int i = 0; i < 100; i++) {
                assertEquals("fine", client.get("/").answer().text());
            }
            assertEquals(1, handlers.size(), handlers.toString());
            Await.until("nothing handed over", () -> statistics(server).getHandOvers() == 0);
        }
    }

    @Test
    void servesOthersWhileAWriteBlocks() throws Exception {
        try (TestServer server = start(server());
                RawClient slow = new RawClient(server.port(), 4096).get("/large")) {
            awaitBlockedWrites(server, 1);
            assertServes(server);
            assertArrayEquals(LARGE, slow.answer().body());
            assertEquals("fine", slow.get("/").answer().text());
            // A request whose answer has come may still be counted: Jetty's strategy takes it back when the task
            // returns.
            Await.until("handed over", () -> statistics(server).getHandOvers() >= 1);
        }
    }

    @Test
    void leavesHandshakesToAnotherThread() throws Exception {
        Tls tls = new Tls();
        TestServer secure = new TestServer(s -> Connectors.NIO_SELECTOR.https(s, tls));
        try (TestServer server = start(secure);
                RawClient client = tls.connect(server.port())) {
            assertEquals("fine", client.get("/").answer().text());
            assertTrue(statistics(server).getHandOvers() >= 1);
        }
    }

    @Test
    void servesOthersWhileAWriteBlocksInsideTls() throws Exception {
        Tls tls = new Tls();
        TestServer secure = new TestServer(s -> Connectors.NIO_SELECTOR.https(s, tls));
        try (TestServer server = start(secure);
                RawClient slow = tls.connect(server.port()).get("/large");
                RawClient other = tls.connect(server.port())) {
            awaitBlockedWrites(server, 1);
            assertEquals("fine", other.get("/").answer().text());
            assertArrayEquals(LARGE, slow.answer().body());
        }
    }

    /** Does not look after tasks that run for long: without having been told that one waits, nobody selects in its stead. */
    static final class ShortLooks extends ScheduledExecutorScheduler {
        @Override
        public Task schedule(Runnable task, long delay, TimeUnit unit) {
            return unit.toMillis(delay) == SelectorExecutor.RUN_MILLIS
                    ? () -> false
                    : super.schedule(task, delay, unit);
        }
    }

    /** /held: is answered by /send, from another connection's handler, which waits for the peer of the first. */
    private static final class Elsewhere extends Handler.Abstract {
        private final CompletableFuture<Response> held = new CompletableFuture<>();
        private final CompletableFuture<Callback> end = new CompletableFuture<>();

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            switch (Request.getPathInContext(request)) {
                case "/held" -> {
                    end.complete(callback);
                    held.complete(response);
                    return true;
                }
                case "/send" -> {
                    Content.Sink.write(held.join(), true, ByteBuffer.wrap(LARGE));
                    end.join().succeeded();
                }
                default -> {
                    // Answers, as to the others.
                }
            }
            Content.Sink.write(response, true, "fine", callback);
            return true;
        }
    }

    @Test
    void servesOthersWhileAWriteToAnotherSelectorsConnectionBlocks() throws Exception {
        TestServer server = new TestServer(s -> {
            NioConnector connector =
                    new NioConnector(s, null, new ShortLooks(), null, 1, 2, new HttpConnectionFactory());
            connector.setDispatch("selector");
            return connector;
        });
        Elsewhere elsewhere = new Elsewhere();
        try (server;
                RawClient slow = new RawClient(server.start(elsewhere).port(), 4096).get("/held")) {
            elsewhere.held.get(30, TimeUnit.SECONDS);
            // Connections go to the selectors in turn.
            try (RawClient sender = server.client().get("/send")) {
                awaitBlockedWrites(server, 1);
                assertServes(server);
                assertServes(server);
                assertArrayEquals(LARGE, slow.answer().body());
                assertEquals("fine", sender.answer().text());
            }
        }
    }

    @Test
    void readsForTlsThatWrites() throws Exception {
        Tls tls = new Tls();
        TestServer server =
                serverOfShortLooks(Renegotiating.over(Connectors.NIO_SELECTOR, tls), new HttpConnectionFactory());
        try (server;
                RawClient client = tls.connect(server.start(new Renegotiating()).port())) {
            assertEquals("again", client.get("/").answer().text());
            assertEquals("again", client.get("/").answer().text());
        }
    }

    @Test
    void servesOthersWhileAReadBlocks() throws Exception {
        try (TestServer server = start(server());
                RawClient slow = server.client()) {
            slow.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n" + "x".repeat(50));
            awaitWaitingHandler();
            assertServes(server);
            assertEquals("100", slow.send("x".repeat(50)).answer().text());
        }
    }

    private TestServer serverOfHttp2() throws Exception {
        return start(serverOfShortLooks(
                new HttpConnectionFactory(), new HTTP2CServerConnectionFactory(new HttpConfiguration())));
    }

    /** The thread that finds the next request then gives the connection to one that stands ready, and handles the request itself. */
    private static Http2Frames begun(TestServer server, RawClient client) throws Exception {
        Http2Frames frames = new Http2Frames(client);
        assertEquals("fine", frames.get("/").content());
        ReservedThreadExecutor reserved =
                ((QueuedThreadPool) server.server().getThreadPool()).getBean(ReservedThreadExecutor.class);
        Await.until("a thread stands ready", () -> reserved.getAvailable() > 0);
        return frames;
    }

    @Test
    void servesOthersWhileAReadOfHttp2Blocks() throws Exception {
        try (TestServer server = serverOfHttp2();
                RawClient slow = server.client()) {
            Http2Frames frames = begun(server, slow);
            int stream = frames.post("/");
            awaitWaitingHandler();
            assertServes(server);
            frames.send(stream, new byte[100]);
            assertEquals("100", frames.content());
        }
    }

    /** Without a look: the thread is none that {@link SelectorExecutor} claims not to be the selector's. */
    @Test
    void servesOthersWhileAHandlerOfHttp2WaitsForSomethingElse() throws Exception {
        try (TestServer server = serverOfHttp2();
                AutoCloseable end = release::countDown;
                RawClient slow = server.client()) {
            Http2Frames frames = begun(server, slow).get("/wait");
            awaitWaitingHandler();
            assertServes(server);
            release.countDown();
            assertEquals("fine", frames.content());
        }
    }

    @Test
    void servesOthersWhileTheHandlerOfTheRequestBehindHttp2sPrefaceWaits() throws Exception {
        try (TestServer server = serverOfHttp2();
                RawClient other = server.client();
                AutoCloseable end = release::countDown;
                RawClient slow = server.client()) {
            begun(server, other);
            Http2Frames frames = Http2Frames.get(slow, "/wait");
            awaitWaitingHandler();
            assertServes(server);
            release.countDown();
            assertEquals("fine", frames.content());
        }
    }

    @Test
    void servesOthersWhileAHandlerWaitsForSomethingElse() throws Exception {
        try (TestServer server = start(server());
                RawClient slow = server.client().get("/wait")) {
            awaitWaitingHandler();
            assertServes(server);
            release.countDown();
            assertEquals("fine", slow.answer().text());
        }
    }

    /** Jetty's strategy runs it in the selector's thread then, with any dispatch but {@code handoff}. */
    private final Handler saysItDoesNotBlock =
            Handlers.of(Invocable.InvocationType.NON_BLOCKING, (request, response, callback) -> {
                waiting.complete(Thread.currentThread());
                if (Request.getPathInContext(request).equals("/wait")) {
                    release.await();
                }
                Handlers.content(request);
                Content.Sink.write(response, true, "fine", callback);
            });

    @Test
    void servesOthersWhileAHandlerWaitsThatSaysItDoesNotBlock() throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(saysItDoesNotBlock);
                AutoCloseable end = release::countDown;
                RawClient slow = server.client().get("/wait")) {
            awaitWaitingHandler();
            assertServes(server);
            release.countDown();
            assertEquals("fine", slow.answer().text());
        }
    }

    @Test
    void servesOthersWhileItWaitsForContent() throws Exception {
        TestServer server = serverOfShortLooks(new HttpConnectionFactory());
        ((NioConnector) server.connector()).setDispatch("adaptive");
        try (server;
                RawClient slow = server.start(saysItDoesNotBlock).client()) {
            slow.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n");
            awaitWaitingHandler();
            assertServes(server);
            assertEquals("fine", slow.send("x").answer().text());
        }
    }

    @Test
    void servesOthersWhenMoreWritesBlockThanThePoolHasThreads() throws Exception {
        TestServer server = server();
        ((QueuedThreadPool) server.server().getThreadPool()).setMaxThreads(8);
        // The last writes wait while the answers before them are read.
        server.connector().setIdleTimeout(120_000);
        try (server;
                RawClient other = start(server).client()) {
            List<RawClient> slow = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                slow.add(new RawClient(server.port(), 4096));
                assertEquals("fine", slow.get(i).get("/").answer().text());
            }
            for (int i = 0; i < 20; i++) {
                slow.get(i).get("/large");
                awaitBlockedWrites(server, i + 1);
            }
            assertEquals("fine", other.get("/").answer().text());
            for (RawClient client : slow) {
                assertArrayEquals(LARGE, client.answer().body());
                client.close();
            }
        }
    }

    @Test
    void stopsWhileAWriteBlocks() throws Exception {
        try (TestServer server = start(server());
                RawClient slow = new RawClient(server.port(), 4096).get("/large")) {
            awaitBlockedWrites(server, 1);
            server.server().stop();
            slow.readToEnd();
        }
    }
}
