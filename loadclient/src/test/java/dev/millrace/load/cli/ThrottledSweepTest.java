package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The receive buffers that a sweep over throttled and other cells reports. */
class ThrottledSweepTest {

    @TempDir
    private Path folder;

    @Test
    void theSmallReceiveBufferIsThatOfThrottledClients() throws IOException {
        assertEquals("65536 of throttled clients", receiveBuffer("--limit-rate=none,100M"));
        assertEquals("8192", receiveBuffer("--limit-rate=none,100M", "--rcvbuf=8k"));
        assertNull(receiveBuffer("--limit-rate=none"));
    }

    private String receiveBuffer(String... options) throws IOException {
        byte[] content = TestFiles.content(1000);
        try (TestServer server = new TestServer((request, out, socket) -> TestServer.send(
                out, "200 OK", "x/y", request.target().endsWith("json") ? TestFiles.catalog("a", content) : content))) {
            String[] args = new String[options.length + 8];
            System.arraycopy(options, 0, args, 8, options.length);
            System.arraycopy(
                    new String[] {
                        "download", "-c=1", "-n=1", "--warmup=0s", "-q", "-o", folder.toString(), server.url("/")
                    },
                    0,
                    args,
                    0,
                    8);
            Cli cli = Cli.run(args);
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        }
        return RunFile.read(folder.resolve("run.json")).plan().get("SO_RCVBUF");
    }
}
