package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** More streams of HTTP/2 than the server's pool has threads, whose writes wait: for the peer's windows, or for its socket. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class Http2StarvationContractTest {
    private static final int THREADS = 6;
    private static final int STREAMS = THREADS + 4;
    private static final int BYTES = 300_000;
    private static final int SOCKET_BUFFER_BYTES = 64 * 1024;

    @Parameter
    Connectors connectors;

    private final byte[] content = RandomBytes.of(BYTES);
    private final AtomicInteger handling = new AtomicInteger();
    private final List<RawClient> clients = new ArrayList<>();
    private TestServer server;

    /** Answers, and waits for the end of it when the path says so. */
    private final Handler large = Handlers.of((request, response, callback) -> {
        String path = Request.getPathInContext(request);
        if (path.equals("/small")) {
            response.write(true, ByteBuffer.wrap("small".getBytes(StandardCharsets.UTF_8)), callback);
            return;
        }
        handling.incrementAndGet();
        if (path.equals("/async")) {
            response.write(true, ByteBuffer.wrap(content), callback);
            return;
        }
        Content.Sink.write(response, true, ByteBuffer.wrap(content));
        callback.succeeded();
    });

    @BeforeEach
    void start() throws Exception {
        server = new TestServer(connectors::http2);
        QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
        pool.setMinThreads(THREADS);
        pool.setMaxThreads(THREADS);
        // None that stands ready to go on selecting.
        pool.setReservedThreads(0);
        server.connector().setAcceptedSendBufferSize(SOCKET_BUFFER_BYTES);
        if (server.connector() instanceof MillraceConnector millrace) {
            millrace.setMinResponseBytesPerSecond(0);
        }
        server.start(large);
    }

    // A request ends on a thread of the pool, after its answer: stopping must not overtake it.
    @AfterEach
    void close() throws Exception {
        for (RawClient client : clients) {
            client.close();
        }
        server.awaitNoEndPoints();
        server.close();
    }

    private Http2Frames client() throws Exception {
        RawClient client = new RawClient(server.port(), SOCKET_BUFFER_BYTES);
        clients.add(client);
        return new Http2Frames(client);
    }

    private static void ask(Http2Frames frames, String path, int streams) throws Exception {
        for (int i = 0; i < streams; i++) {
            frames.get(path);
        }
    }

    private void assertAnswered(Http2Frames frames, int streams) throws Exception {
        for (byte[] answer : frames.contents(streams).values()) {
            assertArrayEquals(content, answer);
        }
    }

    private void awaitNoThread() {
        QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
        Await.until("all are handled, or wait for a thread", () -> handling.get() + pool.getQueueSize() >= STREAMS);
        Await.until("no thread is free", () -> handling.get() >= THREADS - pool.getLeasedThreads(), pool::toString);
    }

    /** A handler that writes without waiting keeps no thread, whatever its write waits for. */
    @Test
    void leavesTheThreadsToOthers() throws Exception {
        Http2Frames shut = client();
        ask(shut, "/async", STREAMS);
        Await.until("all are handled", () -> handling.get() == STREAMS);
        List<Http2Frames> stalled = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            stalled.add(client().openWindows());
            ask(stalled.get(i), "/async", 3);
        }
        Await.until("all are handled", () -> handling.get() == 4 * STREAMS);
        Await.until("sockets are full", () -> server.writesThatWait() == STREAMS);
        assertEquals("small", client().get("/small").content());
        assertAnswered(shut.openWindows(), STREAMS);
        for (Http2Frames frames : stalled) {
            assertAnswered(frames, 3);
        }
    }

    /** What opens the windows comes while all threads wait for it. */
    @Test
    void needsNoThreadToReadThatWindowsAreOpen() throws Exception {
        Http2Frames frames = client();
        ask(frames, "/blocking", STREAMS);
        awaitNoThread();
        assertAnswered(frames.openWindows(), STREAMS);
        assertEquals("small", client().get("/small").content());
    }

    /** The writes of all threads wait for one socket. */
    @Test
    void needsNoThreadToGoOnWriting() throws Exception {
        Http2Frames frames = client().openWindows();
        ask(frames, "/blocking", STREAMS);
        awaitNoThread();
        Await.until("the socket is full", () -> server.writesThatWait() == 1);
        assertAnswered(frames, STREAMS);
        assertEquals("small", client().get("/small").content());
    }
}
