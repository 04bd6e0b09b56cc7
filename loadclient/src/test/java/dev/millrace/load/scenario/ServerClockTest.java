package dev.millrace.load.scenario;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The distance of a server's clock, by its answers. */
class ServerClockTest {

    private static ServerClock read(TestServer.Behaviour behaviour) throws IOException {
        try (TestServer server = new TestServer(behaviour)) {
            return ServerClock.read(
                    Target.of(server.url("/")), new Fetch(60_000, TlsSettings.ofJdk(), Protocol.HTTP1), () -> true);
        }
    }

    private static TestServer.Behaviour ahead(long millis) {
        return (request, out, socket) -> {
            String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                    Instant.now().plusMillis(millis).atZone(ZoneOffset.UTC));
            out.write(("HTTP/1.1 503 Busy\r\nDate: " + date + "\r\nContent-Length: 0\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
        };
    }

    @Test
    void theDistanceLiesWithinTheBounds() throws IOException {
        for (long millis : new long[] {0, 5_250, -3_600_000}) {
            ServerClock clock = read(ahead(millis));
            assertTrue(clock.lowMillis() <= millis && millis <= clock.highMillis(), millis + " " + clock);
        }
    }

    @Test
    void anAnswerThatDoesNotComeTakesNothingFromThoseBefore() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        ServerClock clock = read((request, out, socket) -> {
            if (asked.incrementAndGet() > 2) {
                socket.close();
            } else {
                ahead(5_250).answer(request, out, socket);
            }
        });
        assertTrue(clock.lowMillis() <= 5_250 && 5_250 <= clock.highMillis(), clock.toString());
    }

    @Test
    void theFirstAnswerMayNotComeWhileThereIsTime() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        ServerClock clock = read((request, out, socket) -> {
            if (asked.incrementAndGet() == 1) {
                socket.close();
            } else {
                ahead(5_250).answer(request, out, socket);
            }
        });
        assertTrue(clock.lowMillis() <= 5_250 && 5_250 <= clock.highMillis(), clock.toString());
    }

    @Test
    void withoutAnAnswerItIsAnError() {
        assertThrows(IOException.class, () -> read((request, out, socket) -> socket.close()));
    }

    @Test
    void withoutADateItIsNotKnown() throws IOException {
        assertNull(read((request, out, socket) -> TestServer.send(out, "200 OK", "x/y", new byte[1])));
    }
}
