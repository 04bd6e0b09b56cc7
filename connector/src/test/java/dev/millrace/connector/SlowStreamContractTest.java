package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.jetty.Http2Internals;
import dev.millrace.limits.PeerRates;
import dev.millrace.testing.Await;
import dev.millrace.testing.Http2Frames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.HttpConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests of HTTP/2 are too slow in their content, and which are not. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class SlowStreamContractTest extends SlowStreams {
    private void assertRequestEnded(Http2Frames frames, int stream) throws Exception {
        String answer = new String(frames.content(stream), StandardCharsets.UTF_8);
        assertTrue(answer.contains("408"), answer);
        assertNotNull(told.get(30, TimeUnit.SECONDS), "the application was told of success");
        Await.until("counted", () -> server.millrace().getSlowRequests() == 1);
        assertEquals(0, server.millrace().getSlowResponses());
    }

    @Test
    void endsContentThatIsTrickled() throws Exception {
        Http2Frames frames = start();
        int stream = frames.post("/read");
        repeat(() -> frames.sendPart(stream, new byte[1]));
        assertRequestEnded(frames, stream);
        assertEquals(
                "had 4",
                frames.postAtOnce("/read", "body".getBytes(StandardCharsets.UTF_8))
                        .content());
    }

    @Test
    void endsContentOfWhichNothingComes() throws Exception {
        Http2Frames frames = start();
        assertRequestEnded(frames, frames.post("/read"));
    }

    @Test
    void waitsLongerForTheFirstByteOfContent() throws Exception {
        prepare(WINDOW_BYTES);
        WatchClock time = new WatchClock(server);
        Http2Frames frames = begin();
        int stream = frames.post("/read");
        // The first look begins the wait. By the second it has taken three times the grace; four times would end it.
        time.pass(2);
        frames.send(stream, "body".getBytes(StandardCharsets.UTF_8));
        assertEquals("had 4", new String(frames.content(stream), StandardCharsets.UTF_8));
        assertLeftAlone();
    }

    @Test
    void endsGrpcThatIsTrickled() throws Exception {
        Http2Frames frames = start();
        int stream = frames.post("/read", "application/grpc");
        repeat(() -> frames.sendPart(stream, new byte[1]));
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
            frames.sendPart(streams[i], new byte[1]);
        }
        // Twice the rate of one at the most, where ten times would be too little.
        repeat(() -> frames.sendPart(streams[0], new byte[2 * BYTES_PER_SECOND * PERIOD_MILLIS / 1000]));
        for (byte[] answer : frames.contents(streams.length - 1).values()) {
            assertTrue(
                    new String(answer, StandardCharsets.UTF_8).contains("408"),
                    new String(answer, StandardCharsets.UTF_8));
        }
        assertEquals(0, server.millrace().getSlowResponses());
    }

    @Test
    void endsThoseThatAreSilentBesideOneThatIsFast() throws Exception {
        prepare(WIDE_WINDOW_BYTES);
        long graceSeconds = 5;
        server.millrace().setSlowPeerGraceMillis(TimeUnit.SECONDS.toMillis(graceSeconds));
        WatchClock time = new WatchClock(server);
        Http2Frames frames = begin();
        int fast = frames.post("/read");
        int silent = frames.post("/read");
        while (server.millrace().getSlowRequests() == 0) {
            long sent = taken.get() + 8 * BYTES_PER_SECOND;
            frames.sendPart(fast, new byte[8 * BYTES_PER_SECOND]);
            Await.until("taken", () -> taken.get() == sent);
            time.pass(1);
        }
        assertTrue(time.seconds() > PeerRates.GRACES_BEFORE_CONTENT * graceSeconds, "too soon");
        frames.send(fast, new byte[0]);
        Map<Integer, byte[]> answers = frames.contents(2);
        assertTrue(new String(answers.get(silent), StandardCharsets.UTF_8).contains("408"), "not ended");
        assertTrue(new String(answers.get(fast), StandardCharsets.UTF_8).startsWith("had "), "ended");
        assertEquals(1, server.millrace().getSlowRequests());
    }

    @Test
    void leavesAStreamAloneBesideWhichAnotherIsFast() throws Exception {
        prepare(WIDE_WINDOW_BYTES);
        WatchClock time = new WatchClock(server);
        Http2Frames frames = begin();
        int slow = frames.post("/read");
        int fast = frames.post("/read");
        for (int i = 1; i <= LOOKS; i++) {
            frames.sendPart(slow, new byte[1]);
            // A second's worth for eight.
            frames.sendPart(fast, new byte[8 * BYTES_PER_SECOND]);
            int sent = i * (1 + 8 * BYTES_PER_SECOND);
            Await.until("taken", () -> taken.get() == sent);
            time.pass(1);
        }
        frames.send(slow, new byte[0]);
        assertEquals("had " + LOOKS, new String(frames.content(slow), StandardCharsets.UTF_8));
        assertLeftAlone();
    }

    @Test
    void leavesGrpcAloneThatIsExempt() throws Exception {
        Http2Frames frames = start();
        server.millrace().setGrpcExempt(true);
        assertTrickles(frames, frames.post("/read", "application/grpc+proto"));
        assertEquals("had " + LOOKS, frames.content());
    }

    @Test
    void leavesGrpcAloneThatIsExemptAndWhoseWindowIsClosed() throws Exception {
        Http2Frames frames = start();
        server.millrace().setGrpcExempt(true);
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
        prepare(WINDOW_BYTES);
        WatchClock time = new WatchClock(server);
        Http2Frames frames = begin();
        int stream = frames.post("/taken-late");
        for (int i = 0; i < LOOKS; i++) {
            frames.sendPart(stream, new byte[1]);
            // Until then the peer is waited for.
            assertTrue(offered.await(30, TimeUnit.SECONDS));
            time.pass(1);
        }
        frames.send(stream, new byte[0]);
        assertLeftAlone();
        reads.countDown();
        assertEquals("had " + LOOKS, frames.content());
    }

    /** Begins a request whose content nobody reads, and sends that. */
    private int fillWindow(Http2Frames frames, int bytes) throws IOException {
        int unread = frames.post("/late");
        frames.sendPart(unread, new byte[16_384]);
        frames.sendPart(unread, new byte[16_384]);
        frames.sendPart(unread, new byte[16_384]);
        frames.sendPart(unread, new byte[bytes - 3 * 16_384]);
        return unread;
    }

    @Test
    void leavesAPeerAloneThatMayNotSend() throws Exception {
        prepare(WINDOW_BYTES);
        WatchClock time = new WatchClock(server);
        Http2Frames frames = begin();
        int unread = fillWindow(frames, WINDOW_BYTES);
        int waiting = frames.post("/read");
        awaitClosedWindow();
        time.pass(LOOKS);
        assertLeftAlone();
        reads.countDown();
        frames.send(unread, new byte[0]);
        assertEquals("had " + WINDOW_BYTES, new String(frames.content(unread), StandardCharsets.UTF_8));
        frames.send(waiting, new byte[4]);
        assertEquals("had 4", new String(frames.content(waiting), StandardCharsets.UTF_8));
    }

    private void awaitClosedWindow() {
        Await.until(
                "the window is closed",
                () -> server.connector().getConnectedEndPoints().stream()
                        .anyMatch(endPoint -> Http2Internals.isReceiveWindowClosed(endPoint.getConnection())));
    }

    /** As if frames without content had put off the stream's own idle timeout: only the watch's time passes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void endsContentThatThePeerMayNotSendForAsLongAsTheIdleTimeout(int begun) throws Exception {
        prepare(WINDOW_BYTES);
        WatchClock time = new WatchClock(server);
        Http2Frames frames = begin();
        int unread = fillWindow(frames, WINDOW_BYTES - begun);
        int waiting = frames.post("/read");
        frames.sendPart(waiting, new byte[begun]);
        awaitClosedWindow();
        time.pass((int) TimeUnit.MILLISECONDS.toSeconds(server.connector().getIdleTimeout()));
        assertLeftAlone();
        Await.until("ended", () -> {
            time.pass(1);
            return server.millrace().getSlowRequests() == 1;
        });
        assertRequestEnded(frames, waiting);
        reads.countDown();
        frames.end(unread);
        assertEquals("had " + (WINDOW_BYTES - begun), new String(frames.content(unread), StandardCharsets.UTF_8));
    }

    private void assertTrickles(Http2Frames frames, int stream) throws IOException {
        for (int i = 0; i < LOOKS; i++) {
            frames.sendPart(stream, new byte[1]);
            awaitLook();
        }
        frames.send(stream, new byte[0]);
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
