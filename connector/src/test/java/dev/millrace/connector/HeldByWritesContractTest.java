package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Peers that take nothing hold every thread of the pool, each in a write. All are told of its end all the same. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class HeldByWritesContractTest {
    private static final int THREADS = 8;
    private static final int PEERS = THREADS + 4;
    private static final int GRACE_MILLIS = 200;
    private static final int PERIOD_MILLIS = 50;
    /** No end of a test comes by it: nothing here waits for so long. */
    private static final long IDLE_MILLIS = 120_000;
    /** More than the sockets of a peer and the server take. */
    private static final ByteBuffer LARGE = ByteBuffer.allocateDirect(32 << 20);

    @Parameter
    Connectors connectors;

    private final AtomicInteger writing = new AtomicInteger();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    /** Without TLS. */
    private final List<RawClient> sockets = new ArrayList<>();
    /** Kept: JDK 17 ends TLS whose socket nobody can reach, when it collects garbage. */
    private final List<RawClient> peers = new ArrayList<>();

    private final Tls tls = new Tls();
    private TestServer server;

    /** Who ends the connections. */
    enum End {
        WATCH,
        PEERS
    }

    private final Handler writer = Handlers.of((request, response, callback) -> {
        if (!Request.getPathInContext(request).equals("/large")) {
            Content.Sink.write(response, true, "hello", callback);
            return;
        }
        writing.incrementAndGet();
        try {
            Content.Sink.write(response, true, LARGE.duplicate());
            callback.succeeded();
        } catch (IOException x) {
            failures.add(x);
            callback.failed(x);
        }
    });

    private void start(boolean secure) throws Exception {
        server = new TestServer(s -> secure ? connectors.https(s, tls) : connectors.http(s));
        QueuedThreadPool pool = pool();
        pool.setMinThreads(THREADS);
        pool.setMaxThreads(THREADS);
        pool.setReservedThreads(0);
        server.connector().setIdleTimeout(IDLE_MILLIS);
        server.millrace().setSlowPeerGraceMillis(GRACE_MILLIS);
        server.millrace().setMinResponseBytesPerSecond(0);
        server.sweeper().setPeriodMillis(PERIOD_MILLIS);
        server.start(writer);
    }

    private QueuedThreadPool pool() {
        return (QueuedThreadPool) server.server().getThreadPool();
    }

    private RawClient connect(boolean secure) throws Exception {
        RawClient plain = server.client();
        sockets.add(plain);
        RawClient peer = secure ? tls.over(plain.socket()) : plain;
        peers.add(peer);
        return peer;
    }

    private void holdAllThreads(boolean secure) throws Exception {
        for (int i = 0; i < PEERS; i++) {
            // Before the first of them holds a thread: TLS needs one to be made.
            connect(secure);
        }
        for (RawClient peer : peers) {
            peer.get("/large");
        }
        Await.until(
                "all write, or wait for a thread",
                () -> writing.get() + pool().getQueueSize() >= PEERS && server.writesThatWait() >= writing.get(),
                () -> writing + " write, " + pool());
    }

    private void endBy(End end) throws Exception {
        switch (end) {
            // The room in the buffers of a socket explains no silence at this rate.
            case WATCH -> server.millrace().setMinResponseBytesPerSecond(100_000_000);
            case PEERS -> {
                for (RawClient socket : sockets) {
                    socket.socket().setSoLinger(true, 0);
                    socket.close();
                }
            }
        }
    }

    @AfterEach
    void close() throws Exception {
        for (RawClient socket : sockets) {
            socket.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"false,WATCH", "false,PEERS", "true,WATCH", "true,PEERS"})
    void areFreeWhenTheConnectionsHaveEnded(boolean secure, End end) throws Exception {
        start(secure);
        holdAllThreads(secure);
        endBy(end);
        Await.until(
                "all have failed",
                () -> failures.size() == writing.get(),
                () -> failures.size() + " of " + writing + ", " + pool());
        assertEquals("hello", connect(secure).get("/").answer().text());
    }
}
