package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Which requests of HTTP/2 are too slow, in their content, and which connections by their windows, and which are not. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class SlowStreamContractTest {
    private static final int GRACE_MILLIS = 300;
    private static final int PERIOD_MILLIS = 50;
    /** So many take longer than the grace. */
    private static final int LOOKS = 4 + GRACE_MILLIS / PERIOD_MILLIS;

    private static final int BYTES_PER_SECOND = 2000;
    private static final int LARGE_BYTES = 1024 * 1024;
    /** What is received but not read in all streams of a connection: the least that it can be. */
    private static final int WINDOW_BYTES = 65_535;
    /** For a client that sends without looking at windows, to a server that the machine may hold up. */
    private static final int WIDE_WINDOW_BYTES = 64 * 1024 * 1024;

    @Parameter
    Connectors connectors;

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final HttpConfiguration configuration = new HttpConfiguration();
    private final CompletableFuture<Throwable> told = new CompletableFuture<>();
    private final CountDownLatch reads = new CountDownLatch(1);
    private TestServer server;
    private RawClient client;

    @AfterEach
    void stop() throws Exception {
        clock.shutdownNow();
        client.close();
        server.close();
    }

    /** Answers with the length of what it has read; /talk before it reads, /late only when it may; /large without. */
    private final class Application extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            Request.addCompletionListener(request, told::complete);
            String path = Request.getPathInContext(request);
            if (path.equals("/large")) {
                response.write(true, ByteBuffer.allocate(LARGE_BYTES), callback);
                return true;
            }
            if (path.equals("/talk")) {
                try (Blocker.Callback written = Blocker.callback()) {
                    response.write(false, ByteBuffer.wrap(new byte[] {'>'}), written);
                    written.block();
                }
            } else if (path.equals("/late")) {
                assertTrue(reads.await(30, TimeUnit.SECONDS));
            } else if (path.equals("/taken-late")) {
                // By another thread: while it is told that content is there nobody is told of more.
                request.demand(() -> clock.execute(() -> read(request, response, callback, true)));
                return true;
            }
            read(request, response, callback, false);
            return true;
        }

        private void read(Request request, Response response, Callback callback, boolean late) {
            try (InputStream in = Content.Source.asInputStream(request)) {
                assertTrue(!late || reads.await(30, TimeUnit.SECONDS));
                Content.Sink.write(response, true, "had " + in.readAllBytes().length, callback);
            } catch (Throwable x) {
                callback.failed(x);
            }
        }
    }

    private Http2Frames start() throws Exception {
        return start(WINDOW_BYTES);
    }

    private Http2Frames start(int windowBytes) throws Exception {
        HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(configuration);
        http2.setInitialSessionRecvWindow(windowBytes);
        http2.setInitialStreamRecvWindow(Math.max(windowBytes, http2.getInitialStreamRecvWindow()));
        server = new TestServer(s -> connectors.on(s, new HttpConnectionFactory(configuration), http2));
        slowPeers().setPeriodMillis(PERIOD_MILLIS);
        connector().setSlowPeerGraceMillis(GRACE_MILLIS);
        connector().setSlowRequestsAlwaysEnded(true);
        connector().setMinRequestBytesPerSecond(BYTES_PER_SECOND);
        connector().setMinResponseBytesPerSecond(BYTES_PER_SECOND);
        server.start(new Application());
        client = server.client();
        return new Http2Frames(client);
    }

    private MillraceConnector connector() {
        return (MillraceConnector) server.connector();
    }

    private ConnectionSweeper slowPeers() {
        return connector().getBean(ConnectionSweeper.class);
    }

    private interface Tick {
        void run() throws IOException;
    }

    // With a delay, not at a rate: a peer that makes up for a standstill of the machine would not be slow.
    private void repeat(Tick tick) {
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

    private void awaitLook() {
        long looks = slowPeers().getLooks();
        Await.until("looked", () -> slowPeers().getLooks() > looks);
    }

    private void awaitLooks() {
        long enough = slowPeers().getLooks() + LOOKS;
        Await.until("looked", () -> slowPeers().getLooks() >= enough);
    }

    private void assertConnectionEnded() throws Exception {
        Await.until("ended", () -> connector().getSlowRequests() + connector().getSlowResponses() == 1);
        assertEquals(1, connector().getSlowResponses());
        assertNotNull(told.get(30, TimeUnit.SECONDS), "the application was told of success");
        server.awaitNoEndPoints();
    }

    private void assertRequestEnded(Http2Frames frames, int stream) throws Exception {
        String answer = new String(frames.content(stream), StandardCharsets.UTF_8);
        assertTrue(answer.contains("408"), answer);
        assertNotNull(told.get(30, TimeUnit.SECONDS), "the application was told of success");
        Await.until("counted", () -> connector().getSlowRequests() == 1);
        assertEquals(0, connector().getSlowResponses());
    }

    private void assertLeftAlone() {
        assertEquals(0, connector().getSlowHeads());
        assertEquals(0, connector().getSlowRequests());
        assertEquals(0, connector().getSlowResponses());
    }

    @Test
    void endsContentThatIsTrickled() throws Exception {
        Http2Frames frames = start();
        int stream = frames.post("/read");
        repeat(() -> frames.sendPart(stream, 1));
        assertRequestEnded(frames, stream);
        assertEquals(
                "had 4",
                frames.post("/read", "body".getBytes(StandardCharsets.UTF_8)).content());
    }

    @Test
    void endsContentOfWhichNothingComes() throws Exception {
        Http2Frames frames = start();
        assertRequestEnded(frames, frames.post("/read"));
    }

    @Test
    void waitsLongerForTheFirstByteOfContent() throws Exception {
        Http2Frames frames = start();
        int stream = frames.post("/read");
        awaitLooks();
        frames.send(stream, "body".getBytes(StandardCharsets.UTF_8));
        assertEquals("had 4", new String(frames.content(stream), StandardCharsets.UTF_8));
        assertLeftAlone();
    }

    @Test
    void endsGrpcThatIsTrickled() throws Exception {
        Http2Frames frames = start();
        int stream = frames.post("/read", "application/grpc");
        repeat(() -> frames.sendPart(stream, 1));
        assertRequestEnded(frames, stream);
    }

    @Test
    void endsContentThatIsTrickledInOneFrame() throws Exception {
        Http2Frames frames = start();
        int stream = frames.post("/read");
        client.send(ByteBuffer.allocate(9)
                .put((byte) 0)
                .putShort((short) 16_000)
                .put((byte) 0)
                .put((byte) 0)
                .putInt(stream)
                .array());
        repeat(() -> client.send("x"));
        assertRequestEnded(frames, stream);
    }

    @Test
    void endsManyThatTogetherHaveTheRateOfOne() throws Exception {
        Http2Frames frames = start();
        int[] streams = new int[20];
        for (int i = 0; i < streams.length; i++) {
            streams[i] = frames.post("/read");
            frames.sendPart(streams[i], 1);
        }
        // Twice the rate of one at the most, where ten times would be too little.
        repeat(() -> frames.sendPart(streams[0], 2 * BYTES_PER_SECOND * PERIOD_MILLIS / 1000));
        for (byte[] answer : frames.contents(streams.length - 1).values()) {
            assertTrue(
                    new String(answer, StandardCharsets.UTF_8).contains("408"),
                    new String(answer, StandardCharsets.UTF_8));
        }
        assertEquals(0, connector().getSlowResponses());
    }

    @Test
    void endsThoseThatAreSilentBesideOneThatIsFast() throws Exception {
        Http2Frames frames = start(WIDE_WINDOW_BYTES);
        int fast = frames.post("/read");
        int silent = frames.post("/read");
        long looks = slowPeers().getLooks();
        while (connector().getSlowRequests() == 0) {
            frames.sendPart(fast, 8 * BYTES_PER_SECOND);
            awaitLook();
        }
        assertTrue(slowPeers().getLooks() - looks >= LOOKS, "too soon");
        frames.send(fast, new byte[0]);
        Map<Integer, byte[]> answers = frames.contents(2);
        assertTrue(new String(answers.get(silent), StandardCharsets.UTF_8).contains("408"), "not ended");
        assertTrue(new String(answers.get(fast), StandardCharsets.UTF_8).startsWith("had "), "ended");
        assertEquals(1, connector().getSlowRequests());
    }

    @Test
    void leavesAStreamAloneBesideWhichAnotherIsFast() throws Exception {
        Http2Frames frames = start(WIDE_WINDOW_BYTES);
        int slow = frames.post("/read");
        int fast = frames.post("/read");
        for (int i = 0; i < LOOKS; i++) {
            frames.sendPart(slow, 1);
            // A second's worth for eight, in a look: also a machine that stands still for a while is not slow.
            frames.sendPart(fast, 8 * BYTES_PER_SECOND);
            awaitLook();
        }
        frames.send(slow, new byte[0]);
        assertEquals("had " + LOOKS, new String(frames.content(slow), StandardCharsets.UTF_8));
        assertLeftAlone();
    }

    @Test
    void leavesGrpcAloneThatIsExempt() throws Exception {
        Http2Frames frames = start();
        connector().setGrpcExempt(true);
        assertTrickles(frames, frames.post("/read", "application/grpc+proto"));
        assertEquals("had " + LOOKS, frames.content());
    }

    @Test
    void leavesGrpcAloneThatIsExemptAndWhoseWindowIsClosed() throws Exception {
        Http2Frames frames = start();
        connector().setGrpcExempt(true);
        frames.openWindow(0, LARGE_BYTES);
        int stream = frames.post("/large", "application/grpc");
        assertTrickles(frames, stream);
        frames.openWindow(stream, LARGE_BYTES);
        assertEquals(LARGE_BYTES, frames.content().length());
    }

    @Test
    void leavesThoseAloneWhoTalkInBothDirections() throws Exception {
        Http2Frames frames = start();
        assertTrickles(frames, frames.post("/talk"));
        assertEquals(">had " + LOOKS, frames.content());
    }

    @Test
    void leavesAPeerAloneWhomNobodyHasAsked() throws Exception {
        Http2Frames frames = start();
        int stream = frames.post("/late");
        assertTrickles(frames, stream);
        reads.countDown();
        assertEquals("had " + LOOKS, frames.content());
    }

    @Test
    void leavesAPeerAloneWhoseContentNobodyHasTaken() throws Exception {
        Http2Frames frames = start();
        assertTrickles(frames, frames.post("/taken-late"));
        reads.countDown();
        assertEquals("had " + LOOKS, frames.content());
    }

    @Test
    void leavesAPeerAloneThatMayNotSend() throws Exception {
        Http2Frames frames = start();
        int unread = frames.post("/late");
        frames.sendPart(unread, 16_384);
        frames.sendPart(unread, 16_384);
        frames.sendPart(unread, 16_384);
        frames.sendPart(unread, WINDOW_BYTES - 3 * 16_384);
        int waiting = frames.post("/read");
        awaitLooks();
        assertLeftAlone();
        reads.countDown();
        frames.send(unread, new byte[0]);
        assertEquals("had " + WINDOW_BYTES, new String(frames.content(unread), StandardCharsets.UTF_8));
        frames.send(waiting, new byte[4]);
        assertEquals("had 4", new String(frames.content(waiting), StandardCharsets.UTF_8));
    }

    private void assertTrickles(Http2Frames frames, int stream) throws IOException {
        for (int i = 0; i < LOOKS; i++) {
            frames.sendPart(stream, 1);
            awaitLook();
        }
        frames.send(stream, new byte[0]);
        assertLeftAlone();
    }

    @Test
    void endsWhoOpensTheWindowOfAStreamByDrops() throws Exception {
        Http2Frames frames = start();
        frames.openWindow(0, LARGE_BYTES);
        frames.get("/large");
        repeat(() -> frames.openWindow(1, 1));
        assertConnectionEnded();
    }

    @Test
    void endsWhoOpensTheWindowOfTheConnectionByDrops() throws Exception {
        Http2Frames frames = start();
        frames.get("/large");
        frames.openWindow(1, LARGE_BYTES);
        repeat(() -> frames.openWindow(0, 1));
        assertConnectionEnded();
    }

    @Test
    void endsWhoOpensWindowsByDropsOfSettings() throws Exception {
        Http2Frames frames = start();
        frames.openWindow(0, LARGE_BYTES);
        frames.get("/large");
        int[] bytes = {65_535};
        repeat(() -> frames.setWindows(++bytes[0]));
        assertConnectionEnded();
    }

    @Test
    void endsWhoLeavesAWindowClosedAndTricklesContent() throws Exception {
        Http2Frames frames = start();
        frames.openWindow(0, LARGE_BYTES);
        int stream = frames.post("/large");
        repeat(() -> frames.sendPart(stream, 1));
        assertConnectionEnded();
    }

    @Test
    void leavesAPeerAloneThatHasStopped() throws Exception {
        Http2Frames frames = start();
        frames.get("/large");
        awaitLooks();
        assertLeftAlone();
        frames.openWindow(0, LARGE_BYTES);
        frames.openWindow(1, LARGE_BYTES);
        assertEquals(LARGE_BYTES, frames.content().length());
        assertLeftAlone();
    }

    @Test
    void leavesTheConfigurationAsItWas() throws Exception {
        assertEquals(
                "had 4",
                start().post("/read", "body".getBytes(StandardCharsets.UTF_8)).content());
        server.connector().stop();
        List<HttpConfiguration.Customizer> stopped = List.copyOf(configuration.getCustomizers());
        server.connector().start();
        assertEquals(stopped.size() + 1, configuration.getCustomizers().size());
        server.connector().stop();
        assertEquals(stopped, configuration.getCustomizers());
    }
}
