package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.host.LocalPorts;
import dev.millrace.load.http.Target;
import dev.millrace.load.run.Cell;
import dev.millrace.load.scenario.UuidWorkload;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The notes on the number of connections per second that the local ports allow. */
class PreflightTest {

    private static String note(double rate, int timeWaitSeconds, int sources) {
        UuidWorkload closing = new UuidWorkload(
                Target.of("http://127.0.0.1:9/"),
                new UuidWorkload.Settings("GET", false, "RANDOM", 1, null, List.of(), UuidWorkload.Check.FULL));
        List<String> notes = new ArrayList<>();
        Preflight.check(
                new Cell("", 8, rate, 0, closing),
                new LocalPorts(28_232, timeWaitSeconds),
                sources,
                new ArrayList<>(),
                notes);
        return notes.get(0);
    }

    @Test
    void portsOfNamedAddressesRestAMinute() {
        assertEquals(
                60, LocalPorts.towards(InetAddress.getLoopbackAddress(), true).timeWaitSeconds());
    }

    @Test
    void aRunWithNamedAddressesNotesTheirPorts() throws IOException {
        int ports = LocalPorts.towards(InetAddress.getLoopbackAddress(), true).count();
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=1",
                    "-n=1",
                    "--warmup=0s",
                    "--progress=none",
                    "--keepalive=off",
                    "--source-ip=127.0.0.1",
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertTrue(
                    cli.err()
                            .contains(String.format(
                                    Locale.ROOT,
                                    " do for %,.0f connections/s (for more add addresses " + "by --source-ip)",
                                    ports / 60.0)),
                    cli.err());
        }
    }

    @Test
    void theAdviceHelps() {
        assertTrue(
                note(0, 60, 0)
                        .endsWith(" 471 connections/s (for more add addresses by --source-ip, or set "
                                + "net.ipv4.tcp_tw_reuse=1)"),
                note(0, 60, 0));
        assertTrue(
                note(500, 60, 0)
                        .endsWith(" at most 471/s; add addresses by --source-ip, or set " + "net.ipv4.tcp_tw_reuse=1"),
                note(500, 60, 0));
        assertTrue(note(500, 60, 1).endsWith(" at most 471/s; add addresses by --source-ip"), "reuse is not for those");
        assertTrue(
                note(30_000, 1, 0).endsWith(" at most 28,232/s; widen net.ipv4.ip_local_port_range"),
                "an address named would make it fewer");
    }
}
