package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Silent requests hold every thread of the pool, and are told of their end all the same. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class HeldThreadsContractTest {
    private static final int THREADS = 8;
    /** Enough to spare for what lets go of a pool that is short of threads. */
    private static final int THREADS_OF_HTTP_2 = 40;

    private static final int MORE_REQUESTS = 4;
    private static final int GRACE_MILLIS = 200;
    private static final int PERIOD_MILLIS = 50;
    /** No end of a test comes by it: nothing here waits for so long. */
    private static final long IDLE_MILLIS = 120_000;
    /** For the pool, which interrupts those who still run after half of it. */
    private static final long STOP_MILLIS = 60_000;

    @Parameter
    Connectors connectors;

    private final AtomicInteger reading = new AtomicInteger();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final List<RawClient> clients = new ArrayList<>();
    /** As they speak, over TLS or not. Kept: JDK 17 ends TLS whose socket nobody can reach, when it collects garbage. */
    private final List<RawClient> peers = new ArrayList<>();

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private TestServer server;
    private int requests;
    /** Comes with the first request of each connection of HTTP/1.1. */
    private String preface = "";

    /** What is spoken. */
    enum Protocol {
        HTTP_1,
        HTTP_1_OVER_TLS,
        HTTP_2,
        HTTP_2_OVER_TLS;

        private boolean isSecure() {
            return this == HTTP_1_OVER_TLS || this == HTTP_2_OVER_TLS;
        }

        private boolean isHttp2() {
            return this == HTTP_2 || this == HTTP_2_OVER_TLS;
        }

        private ConnectionFactory[] factories(Connectors connectors) throws Exception {
            HttpConfiguration configuration = new HttpConfiguration();
            return switch (this) {
                case HTTP_1 -> new ConnectionFactory[] {new HttpConnectionFactory(configuration)};
                case HTTP_1_OVER_TLS ->
                    new ConnectionFactory[] {
                        connectors.tls(new Tls().server(), "http/1.1"), new HttpConnectionFactory(configuration)
                    };
                case HTTP_2 -> new ConnectionFactory[] {new HTTP2CServerConnectionFactory(configuration)};
                case HTTP_2_OVER_TLS ->
                    new ConnectionFactory[] {
                        connectors.tls(new Tls().server(), "h2"), new HTTP2ServerConnectionFactory(configuration)
                    };
            };
        }
    }

    /** Reads the content of a POST, on the thread that it was given. */
    private final Handler reader = Handlers.text(request -> {
        if (request.getMethod().equals("POST")) {
            reading.incrementAndGet();
            try {
                Handlers.content(request);
            } catch (Throwable x) {
                failures.add(x);
                throw x;
            }
        }
        return "hello";
    });

    private QueuedThreadPool pool() {
        return (QueuedThreadPool) server.server().getThreadPool();
    }

    private void start(Protocol protocol) throws Exception {
        start(protocol, reader);
    }

    private void start(Protocol protocol, Handler handler) throws Exception {
        start(protocol, handler, protocol.factories(connectors));
    }

    private void start(Protocol protocol, Handler handler, ConnectionFactory... factories) throws Exception {
        server = new TestServer(s -> connectors.on(s, factories));
        int threads = protocol.isHttp2() ? THREADS_OF_HTTP_2 : THREADS;
        requests = threads + MORE_REQUESTS;
        pool().setMinThreads(threads);
        pool().setMaxThreads(threads);
        pool().setReservedThreads(0);
        pool().setStopTimeout(STOP_MILLIS);
        server.connector().setIdleTimeout(IDLE_MILLIS);
        if (connectors != Connectors.STOCK) {
            server.millrace().setSlowPeerGraceMillis(GRACE_MILLIS);
            server.sweeper().setPeriodMillis(PERIOD_MILLIS);
        }
        server.start(handler);
    }

    private void startUnwatched(Protocol protocol) throws Exception {
        start(protocol);
        if (connectors != Connectors.STOCK) {
            server.millrace().setMinRequestBytesPerSecond(0);
        }
    }

    private void startWatched(Protocol protocol) throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "has no watch");
        start(protocol);
    }

    private RawClient client(Protocol protocol) throws Exception {
        RawClient plain = server.client();
        clients.add(plain);
        RawClient peer = protocol.isSecure() ? new Tls().over(plain.socket()) : plain;
        peers.add(peer);
        return peer;
    }

    private RawClient beginRequests(Protocol protocol) throws Exception {
        if (protocol.isHttp2()) {
            Http2Frames frames = new Http2Frames(client(protocol));
            for (int i = 0; i < requests; i++) {
                frames.post("/");
            }
        } else {
            for (int i = 0; i < requests; i++) {
                // Before the first of them holds a thread: TLS needs one to be made.
                client(protocol);
            }
            for (RawClient peer : peers) {
                peer.send(preface + "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
            }
        }
        Await.until(
                "all are handled, or wait for a thread",
                () -> reading.get() + pool().getQueueSize() >= requests,
                () -> reading + " read, " + pool());
        return peers.get(peers.size() - 1);
    }

    @AfterEach
    void close() throws Exception {
        clock.shutdownNow();
        for (RawClient client : clients) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private void assertServes(Protocol protocol) throws Exception {
        RawClient client = client(protocol);
        assertEquals(
                "hello",
                protocol.isHttp2()
                        ? new Http2Frames(client).get("/").content()
                        : client.send(preface + "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                .answer()
                                .text());
    }

    private void awaitFailures() {
        Await.until(
                "all have failed", () -> failures.size() == reading.get(), () -> failures.size() + " of " + reading);
    }

    @ParameterizedTest
    @EnumSource
    void areFreeWhenThePeersHaveLeft(Protocol protocol) throws Exception {
        startUnwatched(protocol);
        beginRequests(protocol);
        for (RawClient client : clients) {
            client.close();
        }
        awaitFailures();
        assertServes(protocol);
    }

    @ParameterizedTest
    @EnumSource
    void areFreeWhenTheWatchHasEndedTheRequests(Protocol protocol) throws Exception {
        startWatched(protocol);
        server.millrace().setSlowRequestsAlwaysEnded(true);
        beginRequests(protocol);
        Await.until("all have failed", () -> failures.size() == requests, () -> failures.size() + " of " + requests);
        Await.until("all are counted", () -> server.millrace().getSlowRequests() == requests, failures::toString);
        assertServes(protocol);
    }

    /** By default: as many are ended as hold what others need. */
    @ParameterizedTest
    @EnumSource
    void areFreeWhenOthersNeedThem(Protocol protocol) throws Exception {
        startWatched(protocol);
        beginRequests(protocol);
        assertServes(protocol);
    }

    /** Jetty has the pool serve a request that comes with a proxy's words, whatever the connector. */
    @Test
    void areFreeWhenOthersNeedThemBehindAProxy() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "has no watch");
        preface = "PROXY TCP4 10.1.2.3 10.4.5.6 1000 2000\r\n";
        start(Protocol.HTTP_1, reader, new ProxyConnectionFactory(), new HttpConnectionFactory());
        beginRequests(Protocol.HTTP_1);
        assertServes(Protocol.HTTP_1);
        // Jetty forgets the buffer of a proxy's words that it has not read when the connection ends.
        Await.until("all have been handled", () -> reading.get() == requests);
    }

    /** A connection that is closed takes the requests with it that read, on threads that may be the only ones. */
    @ParameterizedTest
    @EnumSource(names = {"HTTP_2", "HTTP_2_OVER_TLS"})
    void areFreeWhenTheWatchHasClosedTheConnection(Protocol protocol) throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "has no watch");
        startUnwatched(protocol);
        RawClient slow = beginRequests(protocol);
        // Not before, and not for long: a good peer's handshake takes longer on a busy machine.
        server.millrace().setRequestHeadTimeoutMillis(GRACE_MILLIS);
        // SETTINGS of 96 bytes, which do not come to their end.
        slow.send(new byte[] {0, 0, 96, 4, 0, 0, 0, 0, 0});
        var unused = clock.scheduleWithFixedDelay(
                () -> {
                    try {
                        slow.send(new byte[1]);
                    } catch (IOException closed) {
                        clock.shutdown();
                    }
                },
                0,
                PERIOD_MILLIS,
                TimeUnit.MILLISECONDS);
        Await.until("closed", () -> server.millrace().getSlowHeads() == 1);
        server.millrace().setRequestHeadTimeoutMillis(0);
        awaitFailures();
        assertServes(protocol);
    }

    @ParameterizedTest
    @EnumSource
    void areFreeWhenTheServerHasStopped(Protocol protocol) throws Exception {
        // Its end point does not tell a reader that asks for more just after the close, as one does that had to wait
        // for a thread.
        assumeTrue(connectors != Connectors.STOCK, "Jetty's pool has to interrupt some");
        startUnwatched(protocol);
        beginRequests(protocol);
        server.server().stop();
        awaitFailures();
        assertTrue(failures.stream().noneMatch(InterruptedIOException.class::isInstance), failures::toString);
    }

    /** Who closes a connection. */
    enum Closer {
        APPLICATION {
            @Override
            void close(EndPoint spokenOver) {
                spokenOver.close();
            }
        },
        WATCH {
            @Override
            void close(EndPoint spokenOver) {
                EndPoint endPoint = spokenOver instanceof SslConnection.SslEndPoint tls
                        ? tls.getSslConnection().getEndPoint()
                        : spokenOver;
                endPoint.close(new IOException("too slow"));
            }
        };

        abstract void close(EndPoint spokenOver);
    }

    /** Reads on when its connection has just been closed: nothing that comes will tell it of the end any more. */
    private static final class LateReader extends Handler.Abstract {
        private final Closer closer;
        private final CompletableFuture<Content.Chunk> told = new CompletableFuture<>();

        private LateReader(Closer closer) {
            this.closer = closer;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            if (request.read() != null) {
                throw new IllegalStateException("no content was sent");
            }
            closer.close(EndPoints.of(request));
            request.demand(() -> {
                Content.Chunk chunk = request.read();
                callback.failed(new IOException("the connection is gone"));
                told.complete(chunk);
            });
            return true;
        }
    }

    @ParameterizedTest
    @CsvSource({"HTTP_1,APPLICATION", "HTTP_1,WATCH", "HTTP_1_OVER_TLS,APPLICATION", "HTTP_1_OVER_TLS,WATCH"})
    void areFreeThoughTheyReadOnJustAfterTheClose(Protocol protocol, Closer closer) throws Exception {
        LateReader reader = new LateReader(closer);
        start(protocol, reader);
        client(protocol).send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
        assertTrue(Content.Chunk.isFailure(reader.told.get(30, TimeUnit.SECONDS)));
    }

    /** As above, but not even the request knows of the end yet: its connection asks when its end point has been closed. */
    @ParameterizedTest
    @CsvSource({"HTTP_1,APPLICATION", "HTTP_1,WATCH", "HTTP_1_OVER_TLS,APPLICATION", "HTTP_1_OVER_TLS,WATCH"})
    void areToldByAnEndPointThatIsAskedJustAfterTheClose(Protocol protocol, Closer closer) throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "tells nobody: Jetty's pool has to interrupt such a reader");
        Callback.Completable told = new Callback.Completable();
        start(protocol, Handlers.of((request, response, callback) -> {
            EndPoint endPoint = EndPoints.of(request);
            closer.close(endPoint);
            endPoint.fillInterested(told);
            callback.failed(new IOException("the connection is gone"));
        }));
        client(protocol).send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
        assertInstanceOf(IOException.class, told.handle((done, cause) -> cause).get(30, TimeUnit.SECONDS));
    }
}
