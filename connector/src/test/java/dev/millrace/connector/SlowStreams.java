package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;

/** A server of HTTP/2 that watches over slow streams closely, and a client whose frames the test sends itself. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
abstract class SlowStreams {
    static final int GRACE_MILLIS = 300;
    static final int PERIOD_MILLIS = 50;
    /** So many take longer than the grace. */
    static final int LOOKS = 4 + GRACE_MILLIS / PERIOD_MILLIS;

    static final int BYTES_PER_SECOND = 2000;
    static final int LARGE_BYTES = 1024 * 1024;
    /** What is received but not read in all streams of a connection: the least that it can be. */
    static final int WINDOW_BYTES = 65_535;
    /** For a client that sends without looking at windows, to a server that the machine may hold up. */
    static final int WIDE_WINDOW_BYTES = 64 * 1024 * 1024;

    @Parameter
    Connectors connectors;

    final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    final HttpConfiguration configuration = new HttpConfiguration();
    final CompletableFuture<Throwable> told = new CompletableFuture<>();
    final CountDownLatch reads = new CountDownLatch(1);
    /** Counted down when content has come to /taken-late. */
    final CountDownLatch offered = new CountDownLatch(1);
    /** Bytes of content that handlers have read. */
    final AtomicLong taken = new AtomicLong();

    TestServer server;
    RawClient client;

    @AfterEach
    void stop() throws Exception {
        clock.shutdownNow();
        client.close();
        server.close();
    }

    /** Answers with the length of what it has read; /talk before it reads, /late only when it may; /large without. Counts what it reads. */
    private final Handler application = Handlers.of((request, response, callback) -> {
        Request.addCompletionListener(request, told::complete);
        String path = Request.getPathInContext(request);
        if (path.equals("/large")) {
            response.write(true, ByteBuffer.allocate(LARGE_BYTES), callback);
            return;
        }
        if (path.equals("/talk")) {
            Content.Sink.write(response, false, ByteBuffer.wrap(new byte[] {'>'}));
        } else if (path.equals("/late")) {
            assertTrue(reads.await(30, TimeUnit.SECONDS));
        } else if (path.equals("/taken-late")) {
            // By another thread: while it is told that content is there nobody is told of more.
            request.demand(() -> {
                offered.countDown();
                clock.execute(() -> read(request, response, callback, true));
            });
            return;
        }
        read(request, response, callback, false);
    });

    private void read(Request request, Response response, Callback callback, boolean late) {
        try (InputStream in = Content.Source.asInputStream(request)) {
            assertTrue(!late || reads.await(30, TimeUnit.SECONDS));
            int length = 0;
            byte[] block = new byte[16 * 1024];
            for (int read = in.read(block); read >= 0; read = in.read(block)) {
                length += read;
                taken.addAndGet(read);
            }
            Content.Sink.write(response, true, "had " + length, callback);
        } catch (Throwable x) {
            callback.failed(x);
        }
    }

    Http2Frames start() throws Exception {
        return start(WINDOW_BYTES);
    }

    Http2Frames start(int windowBytes) throws Exception {
        prepare(windowBytes);
        return begin();
    }

    /** Makes the server. Its time is the machine's, unless the test makes a {@link WatchClock} before {@link #begin}. */
    void prepare(int windowBytes) {
        HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(configuration);
        http2.setInitialSessionRecvWindow(windowBytes);
        http2.setInitialStreamRecvWindow(Math.max(windowBytes, http2.getInitialStreamRecvWindow()));
        server = new TestServer(s -> connectors.on(s, new HttpConnectionFactory(configuration), http2));
        server.sweeper().setPeriodMillis(PERIOD_MILLIS);
        server.millrace().setSlowPeerGraceMillis(GRACE_MILLIS);
        server.millrace().setSlowRequestsAlwaysEnded(true);
        server.millrace().setMinRequestBytesPerSecond(BYTES_PER_SECOND);
        server.millrace().setMinResponseBytesPerSecond(BYTES_PER_SECOND);
    }

    Http2Frames begin() throws Exception {
        server.start(application);
        client = server.client();
        return new Http2Frames(client);
    }

    interface Tick {
        void run() throws IOException;
    }

    // With a delay, not at a rate: a peer that makes up for a standstill of the machine would not be slow.
    void repeat(Tick tick) {
        var unused = clock.scheduleWithFixedDelay(
                () -> {
                    try {
                        tick.run();
                    } catch (IOException closed) {
                        clock.shutdown();
                    }
                },
                0,
                PERIOD_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    void awaitLook() {
        long looks = server.sweeper().getLooks();
        Await.until("looked", () -> server.sweeper().getLooks() > looks);
    }

    void awaitLooks() {
        long enough = server.sweeper().getLooks() + LOOKS;
        Await.until("looked", () -> server.sweeper().getLooks() >= enough);
    }

    void assertLeftAlone() {
        assertEquals(0, server.millrace().getSlowHeads());
        assertEquals(0, server.millrace().getSlowRequests());
        assertEquals(0, server.millrace().getSlowResponses());
    }
}
