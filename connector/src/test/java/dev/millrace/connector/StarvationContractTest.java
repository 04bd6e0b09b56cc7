package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** All threads that serve requests are taken: those of the server's pool, or the carriers of virtual ones. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class StarvationContractTest {
    private static final int THREADS = 8;
    private static final int FILE_BYTES = 4_000_000;
    private static final String HEAD = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n";

    @Parameter
    Connectors connectors;

    private final AtomicInteger handling = new AtomicInteger();
    private final CountDownLatch released = new CountDownLatch(1);

    private TestServer server() {
        TestServer server = new TestServer(connectors::http);
        QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
        pool.setMaxThreads(THREADS);
        pool.setMinThreads(THREADS);
        return server;
    }

    private final Handler echo = Handlers.text(request -> {
        handling.incrementAndGet();
        return new String(Handlers.content(request), StandardCharsets.UTF_8);
    });

    /** Nobody may need a thread of the pool to tell those in it that their content has come. */
    @Test
    void byThoseWhoWaitForContent() throws Exception {
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = server().start(echo)) {
            for (int i = 0; i < THREADS + 2; i++) {
                clients.add(server.client().send(HEAD));
            }
            QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
            Await.until(
                    "all are handled, or wait for a thread",
                    () -> handling.get() + pool.getQueueSize() >= clients.size());
            for (RawClient client : clients) {
                client.send("done");
            }
            for (RawClient client : clients) {
                assertEquals("done", client.answer().text());
                client.close();
            }
        }
    }

    /** Sends a file, and waits for its end; or meanwhile for the request's content. */
    private final class Sending extends Handler.Wrapper {
        private final AtomicInteger read = new AtomicInteger();

        private Sending(Path directory) throws IOException {
            super(Handlers.files(directory));
            TestFiles.write(directory, "file.bin", FILE_BYTES);
        }

        @Override
        public InvocationType getInvocationType() {
            return InvocationType.BLOCKING;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            handling.incrementAndGet();
            if (request.getLength() > 0) {
                getHandler().handle(request, response, callback);
                read.addAndGet(Handlers.content(request).length);
                return true;
            }
            try (Blocker.Callback sent = Blocker.callback()) {
                getHandler().handle(request, response, sent);
                sent.block();
            }
            callback.succeeded();
            return true;
        }
    }

    private TestServer serverOfSmallSockets() {
        TestServer server = server();
        // None that stands ready to go on selecting.
        ((QueuedThreadPool) server.server().getThreadPool()).setReservedThreads(0);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        if (server.connector() instanceof MillraceConnector millrace) {
            millrace.setAlgorithm("EqualNonBlocking");
            millrace.setMinRequestBytesPerSecond(0);
            millrace.setMinResponseBytesPerSecond(0);
        }
        return server;
    }

    private void awaitSending(TestServer server, int clients) {
        QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
        Await.until("all are handled, or wait for a thread", () -> handling.get() + pool.getQueueSize() >= clients);
        Await.until("no thread is free", () -> handling.get() >= Math.min(clients, THREADS - pool.getLeasedThreads()));
        Await.until("sockets are full", () -> server.writesThatWait() == handling.get());
    }

    /** Nor to go on with a file when its client has made room. */
    @Test
    void byThoseWhoSendFiles(@TempDir Path directory) throws Exception {
        List<RawClient> clients = new ArrayList<>();
        ExecutorService readers = Executors.newCachedThreadPool();
        try (TestServer server = serverOfSmallSockets().start(new Sending(directory))) {
            for (int i = 0; i < THREADS + 2; i++) {
                clients.add(new RawClient(server.port(), 8192).get("/file.bin"));
            }
            awaitSending(server, clients.size());
            List<Future<RawClient.Answer>> answers = clients.stream()
                    .map(client -> readers.submit(() -> client.answer()))
                    .toList();
            for (Future<RawClient.Answer> answer : answers) {
                assertEquals(FILE_BYTES, answer.get().body().length);
            }
        } finally {
            readers.shutdownNow();
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void byThoseWhoWaitForContentWhileTheySendFiles(@TempDir Path directory) throws Exception {
        List<RawClient> clients = new ArrayList<>();
        Sending sending = new Sending(directory);
        try (TestServer server = serverOfSmallSockets().start(sending)) {
            for (int i = 0; i < THREADS + 2; i++) {
                clients.add(new RawClient(server.port(), 8192).send(HEAD.replace("POST /", "GET /file.bin")));
            }
            awaitSending(server, clients.size());
            // What comes before it is asked for needs no thread.
            Await.until("they ask", () -> !connectors.name().startsWith("NIO") || asking(server) == handling.get());
            for (RawClient client : clients) {
                client.send("done");
            }
            Await.until("all is read", () -> sending.read.get() == 4 * clients.size());
            for (RawClient client : clients) {
                assertEquals(FILE_BYTES, client.answer().body().length);
            }
            // Jetty keeps the buffer of a request's content until a thread of the pool looks for the next. A stop
            // refuses that.
            Await.until(
                    "the next requests are awaited",
                    () -> server.connector().getConnectedEndPoints().stream().allMatch(EndPoint::isFillInterested));
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    private static long asking(TestServer server) {
        return server.connector().getConnectedEndPoints().stream()
                .filter(endPoint -> endPoint instanceof NioEndPoint nio && nio.awaitsRead() && nio.isWritePending())
                .count();
    }

    /** Asks for content by a callback that may block, so that it needs a thread; a GET keeps one. */
    private final Handler asking = Handlers.of((request, response, callback) -> {
        handling.incrementAndGet();
        if (request.getMethod().equals("GET")) {
            keepThread();
            Content.Sink.write(response, true, "released", callback);
            return;
        }
        request.demand(() -> {
            Content.Chunk chunk = request.read();
            chunk.release();
            Content.Sink.write(response, true, "read", callback);
        });
    });

    // A virtual thread that waits leaves its carrier to others.
    private void keepThread() throws InterruptedException {
        while (connectors == Connectors.BIO_VIRTUAL && released.getCount() > 0) {
            Thread.onSpinWait();
        }
        released.await();
    }

    /** A peer that has sent all that it was asked for is not slow. */
    @Test
    void isNotThePeersFault() throws Exception {
        assumeTrue(
                connectors == Connectors.NIO
                        || connectors == Connectors.NIO_HANDOFF
                        || connectors == Connectors.BIO_VIRTUAL,
                "looks after the pace of its peers, and serves them by few threads");
        int threads =
                connectors == Connectors.BIO_VIRTUAL ? Runtime.getRuntime().availableProcessors() : THREADS;
        List<RawClient> clients = new ArrayList<>();
        TestServer server = server();
        QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
        // So that nothing but requests stands in its queue, and no thread stands ready for the content.
        pool.setReservedThreads(0);
        ConnectionSweeper peers = server.sweeper();
        peers.setPeriodMillis(20);
        server.start(asking);
        try (server;
                RawClient uploading = server.client()) {
            uploading.send(HEAD);
            Await.until("asks", () -> handling.get() == 1);
            for (int i = 0; i < threads; i++) {
                clients.add(server.client().get("/"));
            }
            Await.until(
                    "all are handled, or wait for a thread",
                    () -> handling.get() + pool.getQueueSize() > clients.size());
            uploading.send("done");
            SocketChannelEndPoint endPoint = endPoint(server, uploading);
            Await.until(
                    "it has come",
                    () -> connectors == Connectors.BIO_VIRTUAL
                            ? EndPoints.available(endPoint.getChannel()) == 4
                            : !((MonitoredEndPoint) endPoint).awaitsRead());
            MillraceConnector connector = server.millrace();
            connector.setSlowPeerGraceMillis(0);
            connector.setSlowRequestsAlwaysEnded(true);
            connector.setMinRequestBytesPerSecond(1_000_000);
            long looks = peers.getLooks();
            Await.until("looked", () -> peers.getLooks() > looks + 4);
            assertEquals(0, peers.getSlowRequests());
            released.countDown();
            assertEquals("read", uploading.answer().text());
            for (RawClient client : clients) {
                assertEquals("released", client.answer().text());
                client.close();
            }
        } finally {
            released.countDown();
        }
    }

    private static SocketChannelEndPoint endPoint(TestServer server, RawClient client) {
        return (SocketChannelEndPoint) server.connector().getConnectedEndPoints().stream()
                .filter(endPoint ->
                        endPoint.getRemoteSocketAddress().equals(client.socket().getLocalSocketAddress()))
                .findFirst()
                .orElseThrow();
    }
}
