package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The self-test prints the cost of the client, and leaves no process or file behind. */
class SelftestTest {

    @Test
    void statesCostAndPrecision() {
        Cli cli = Cli.run("selftest", "-d", "500ms");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        List<String> lines = cli.outLines();
        assertEquals(8, lines.size(), cli.out());
        assertTrue(lines.get(0).matches("counting   1 clients: client +[0-9.]+ us CPU per request, .*"), cli.out());
        assertTrue(lines.get(3).startsWith("verifying 32 clients: "), cli.out());
        assertTrue(lines.get(4).startsWith("timers: late by p50 "), cli.out());
        assertTrue(lines.get(5).startsWith("clock: "), cli.out());
        assertTrue(lines.get(6).startsWith("checksums: CRC32C "), cli.out());
        assertEquals(List.of(), ProcessHandle.current().children().toList());
    }

    @Test
    void completionIsGenerated() {
        Cli cli = Cli.run("generate-completion");
        assertEquals(ExitCode.GOOD, cli.code());
        assertTrue(cli.out().contains("_complete_loadclient") && cli.out().contains("--keepalive"), "a bash script");
    }
}
