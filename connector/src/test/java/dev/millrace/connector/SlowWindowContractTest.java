package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.millrace.testing.Await;
import dev.millrace.testing.Http2Frames;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Which connections of HTTP/2 open the windows for their answers too slowly, and which do not. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class SlowWindowContractTest extends SlowStreams {
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
        repeat(() -> frames.sendPart(stream, 1));
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
        // HEADERS with END_STREAM and END_HEADERS: the field x, with the value y, not indexed.
        byte[] trailers = {0, 0, 5, 1, 5, 0, 0, 0, 1, 0, 1, 'x', 1, 'y'};
        repeat(() -> client.send(trailers));
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
}
