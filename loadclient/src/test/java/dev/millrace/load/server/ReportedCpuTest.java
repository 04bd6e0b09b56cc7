package dev.millrace.load.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.http.TlsSettings;
import java.io.IOException;
import java.net.URI;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The forms in which servers report CPU time. */
class ReportedCpuTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"timeMillis\": 1, \"cpuMillis\": 12340, \"listeners\": []}",
                "12.34",
                " 1.234E1\n",
                "# HELP process_cpu_seconds_total Total user and system CPU time.\n"
                        + "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 12.34\nup 1\n",
                "other_process_cpu_seconds_total 1\nprocess_cpu_seconds_total{app=\"a b\"} 1.234E1 1700000000\n"
            })
    void allFormsAreRead(String answer) throws IOException {
        assertEquals(12_340_000_000L, ReportedCpu.nanos(answer));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{\"cpuMillis\": null}",
                "{\"cpuMillis\":",
                "<html>\n</html>",
                "NaN",
                "process_cpu_seconds_total many\n",
                "# TYPE process_cpu_seconds_total counter\nup 1\n"
            })
    void otherTextsAreErrors(String answer) {
        assertThrows(IOException.class, () -> ReportedCpu.nanos(answer));
    }

    @Test
    void aServerThatDoesNotReportIsNamed() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) ->
                TestServer.send(out, "404 Not Found", "text/plain", "no".getBytes(US_ASCII)))) {
            ReportedCpu cpu = new ReportedCpu(URI.create(server.url("/stats")), false, TlsSettings.ofJdk());
            assertEquals(OptionalLong.empty(), cpu.nanos());
            assertEquals(
                    "cannot read the server's CPU time at " + server.url("/stats") + ": status 404",
                    assertThrows(IOException.class, cpu::read).getMessage());
            assertFalse(cpu.isOnThisMachine());
            assertTrue(new ReportedCpu(cpu.uri(), true, cpu.tls()).isOnThisMachine());
            assertEquals(0, cpu.compilerNanos());
        }
    }
}
