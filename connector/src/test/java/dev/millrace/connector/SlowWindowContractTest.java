package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.millrace.testing.Await;
import dev.millrace.testing.Http2Frames;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Which connections of HTTP/2 open the windows for their answers too slowly, and which do not. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class SlowWindowContractTest extends SlowStreams {
    /** HEADERS of stream 1 with END_STREAM and END_HEADERS: the field x, with the value y, not indexed. */
    private static final byte[] TRAILERS = {0, 0, 5, 1, 5, 0, 0, 0, 1, 0, 1, 'x', 1, 'y'};

    private WatchClock time;

    /** Of a client that reads as the test says, with the default limits and a wide window of the connection. */
    private Http2Frames startByClock() throws Exception {
        Http2Frames frames = startNarrowByClock();
        frames.openWindow(0, LARGE_BYTES);
        return frames;
    }

    private Http2Frames startNarrowByClock() throws Exception {
        prepare(WINDOW_BYTES);
        server.millrace().setSlowPeerGraceMillis(5000);
        server.millrace().setMinResponseBytesPerSecond(240);
        time = new WatchClock(server);
        return begin();
    }

    /** Takes so much of an answer as its window lets through: then it is closed. */
    private static void take(Http2Frames frames, int stream, int bytes) throws IOException {
        int taken = 0;
        while (taken < bytes) {
            taken += frames.next(stream).length;
        }
        assertEquals(bytes, taken);
    }

    private static void openAndTake(Http2Frames frames, int stream, int bytes) throws IOException {
        frames.openWindow(stream, bytes);
        take(frames, stream, bytes);
    }

    private interface Turn {
        void take(int number) throws IOException;
    }

    private static void takeTurns(int most, Turn turn) {
        try {
            for (int i = 0; i < most; i++) {
                turn.take(i);
            }
        } catch (IOException ended) {
            // The test asks the server why.
        }
    }

    private void assertConnectionEnded() throws Exception {
        Await.until(
                "ended",
                () -> server.millrace().getSlowRequests() + server.millrace().getSlowResponses() == 1);
        assertEquals(1, server.millrace().getSlowResponses());
        assertNotNull(told.get(30, TimeUnit.SECONDS), "the application was told of success");
        server.awaitNoEndPoints();
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
        repeat(() -> frames.sendPart(stream, new byte[1]));
        assertConnectionEnded();
    }

    @Test
    void endsWhoLeavesTheConnectionsWindowClosedAndOpensThatOfAStream() throws Exception {
        Http2Frames frames = start();
        frames.get("/large");
        frames.openWindow(1, LARGE_BYTES);
        repeat(() -> frames.openWindow(1, 1));
        assertConnectionEnded();
    }

    @Test
    void endsWhoLeavesTheConnectionsWindowClosedAndOpensThatOfAStreamWide() throws Exception {
        Http2Frames frames = start();
        frames.get("/large");
        frames.openWindow(1, LARGE_BYTES);
        repeat(() -> frames.openWindow(1, BYTES_PER_SECOND));
        assertConnectionEnded();
    }

    @Test
    void endsWhoLeavesAWindowClosedAndSendsTrailersAgainAndAgain() throws Exception {
        Http2Frames frames = start();
        frames.openWindow(0, LARGE_BYTES);
        frames.get("/large");
        repeat(() -> client.send(TRAILERS));
        assertConnectionEnded();
    }

    @Test
    void endsWhoLeavesTheConnectionsWindowClosedAndTricklesContent() throws Exception {
        Http2Frames frames = start();
        int stream = frames.post("/large");
        frames.openWindow(stream, LARGE_BYTES);
        repeat(() -> frames.sendPart(stream, new byte[1]));
        assertConnectionEnded();
    }

    @Test
    void endsWhoLeavesTheConnectionsWindowClosedAndSendsTrailersAgainAndAgain() throws Exception {
        Http2Frames frames = start();
        frames.get("/large");
        frames.openWindow(1, LARGE_BYTES);
        repeat(() -> client.send(TRAILERS));
        assertConnectionEnded();
    }

    @Test
    void leavesShortRequestsAloneBesideAStreamThatFillsTheConnectionsWindow() throws Exception {
        Http2Frames frames = start();
        int paused = frames.post("/large", "application/x");
        frames.openWindow(paused, LARGE_BYTES);
        take(frames, paused, WINDOW_BYTES);
        for (int i = 0; i < LOOKS; i++) {
            frames.postAtOnce("/large", new byte[1]);
            awaitLook();
        }
        assertLeftAlone();
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
    void leavesAReaderAloneThatPauses() throws Exception {
        Http2Frames frames = startByClock();
        frames.get("/large");
        take(frames, 1, WINDOW_BYTES);
        time.pass(2);
        for (int i = 0; i < 12; i++) {
            openAndTake(frames, 1, 2000);
            time.pass(1);
        }
        time.pass(25);
        assertLeftAlone();
        openAndTake(frames, 1, 2000);
        time.pass(1);
        frames.openWindow(1, LARGE_BYTES);
        assertEquals(LARGE_BYTES - WINDOW_BYTES - 13 * 2000, frames.content().length());
        assertLeftAlone();
    }

    @Test
    void leavesAReaderAloneThatOpensTheWindowOfAStreamBeforeTheConnections() throws Exception {
        Http2Frames frames = startNarrowByClock();
        frames.get("/large");
        take(frames, 1, WINDOW_BYTES);
        time.pass(7);
        frames.openWindow(1, 32 * 1024);
        frames.openWindow(0, LARGE_BYTES);
        take(frames, 1, 32 * 1024);
        time.pass(1);
        frames.openWindow(1, LARGE_BYTES);
        assertEquals(LARGE_BYTES - WINDOW_BYTES - 32 * 1024, frames.content().length());
        assertLeftAlone();
    }

    @Test
    void leavesAReaderAloneThatOpensItsWindowSeldomAndWide() throws Exception {
        Http2Frames frames = startByClock();
        frames.get("/large");
        take(frames, 1, WINDOW_BYTES);
        time.pass(2);
        for (int i = 0; i < 4; i++) {
            openAndTake(frames, 1, 32 * 1024);
            time.pass(27);
        }
        assertLeftAlone();
    }

    @Test
    void endsWhoOpensAWindowByRareDrops() throws Exception {
        Http2Frames frames = startByClock();
        frames.get("/large");
        take(frames, 1, WINDOW_BYTES);
        time.pass(12);
        takeTurns(2, i -> {
            openAndTake(frames, 1, 1);
            time.pass(25);
        });
        assertConnectionEnded();
    }

    @Test
    void leavesAReaderAloneBesidePausedStreams() throws Exception {
        Http2Frames frames = startByClock();
        // The first is never read, the second for a while.
        for (int stream = 1; stream <= 5; stream += 2) {
            frames.get("/large");
            take(frames, stream, WINDOW_BYTES);
            time.pass(2);
            for (int i = 0; i < 10 && stream > 1; i++) {
                openAndTake(frames, stream, 300);
                time.pass(1);
            }
        }
        assertLeftAlone();
    }

    @Test
    void endsWhoOpensTheWindowsOfTwoStreamsByDrops() throws Exception {
        Http2Frames frames = startByClock();
        for (int stream = 1; stream <= 3; stream += 2) {
            frames.get("/large");
            take(frames, stream, WINDOW_BYTES);
        }
        time.pass(2);
        takeTurns(10, i -> {
            openAndTake(frames, 1, 230);
            openAndTake(frames, 3, 230);
            time.pass(1);
        });
        assertConnectionEnded();
    }

    @Test
    void endsWhoOpensTheWindowsOfManyStreamsInTurns() throws Exception {
        Http2Frames frames = startByClock();
        for (int stream = 1; stream <= 7; stream += 2) {
            frames.get("/large");
            take(frames, stream, WINDOW_BYTES);
        }
        time.pass(2);
        takeTurns(60, i -> {
            openAndTake(frames, 1 + 2 * (i % 4), 300);
            time.pass(1);
        });
        assertConnectionEnded();
    }
}
