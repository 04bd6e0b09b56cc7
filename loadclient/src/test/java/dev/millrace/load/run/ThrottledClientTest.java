package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.load.http.Target;
import dev.millrace.load.run.RunSettings.Limits;
import dev.millrace.load.run.RunSettings.Warmup;
import dev.millrace.load.scenario.DownloadWorkload;
import dev.millrace.load.scenario.Verify;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients whose speed is bounded. */
@Timeout(60)
class ThrottledClientTest {

    private static RunSettings settings(int receiveBufferBytes) {
        return new RunSettings(Warmup.of(Duration.ZERO), Duration.ofSeconds(20), 1, Duration.ofSeconds(20),
                Duration.ofSeconds(20), Duration.ZERO, 1, receiveBufferBytes, 100_000, List.of(), Limits.NONE);
    }

    private static Cell cell(String url, long limitRate) {
        return new Cell("", 1, 0, limitRate, new DownloadWorkload(Target.of(url), "a", List.of(), true, Verify.NONE, 1,
                List.of()));
    }

    @Test
    void onlyThrottledClientsHaveASmallReceiveBuffer() {
        Cell free = cell("http://127.0.0.1:9/", 0);
        Cell throttled = cell("http://127.0.0.1:9/", 1000);
        assertEquals(0, CellRun.sockets(free, 0, settings(0)).receiveBufferBytes());
        assertEquals(65_536, CellRun.sockets(throttled, 0, settings(0)).receiveBufferBytes());
        assertEquals(8192, CellRun.sockets(free, 0, settings(8192)).receiveBufferBytes());
        assertEquals(8192, CellRun.sockets(throttled, 0, settings(8192)).receiveBufferBytes());
    }
}
