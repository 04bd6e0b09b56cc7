package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.load.FakeWar;
import dev.millrace.load.run.Interruption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Ctrl-C ends this program and the servers that it has started; their failures then are not reported as errors. */
class InterruptionTest {

    private final Interruption interruption = new Interruption();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    @AfterEach
    void report() {
        interruption.finished();
    }

    private int run(PrintWriter errors, String... args) {
        CommandLine line = Main.commandLine(interruption);
        line.setOut(new PrintWriter(out, true));
        line.setErr(errors);
        return line.execute(args);
    }

    private void interrupt() {
        new Thread(interruption::interrupt, "interruption").start();
    }

    @Test
    void aServerThatEndsWhileItStartsIsNotNamed() throws Exception {
        CountDownLatch requested = new CountDownLatch(1);
        interruption.onRequest(requested::countDown);
        interrupt();
        requested.await();
        int code = run(
                new PrintWriter(err, true),
                "demo",
                "-o",
                folder.resolve("out").toString(),
                FakeWar.in(folder, "good.war").toString());
        assertEquals("loadclient: stopped early", err.toString().strip());
        assertEquals(ExitCode.INVALID, code);
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void aServerThatEndsInAWindowHasNoErrors() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String command = RunOptionsTest.oneUuidServer(port);
        // A shell that ends first leaves its server to run on, so that both are killed before anything is waited for.
        PrintWriter errors = new PrintWriter(err, true) {
            @Override
            public void println(String text) {
                super.println(text);
                if (text.matches("\\[1/1] window .* errors 0")) {
                    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
                } else if (text.startsWith("[1/1] window ")) {
                    interrupt();
                }
            }
        };
        int code = run(
                errors,
                "uuid",
                "-c=1",
                "-d=10m",
                "--warmup=0s",
                "--progress=plain",
                "--server-cmd",
                command,
                "http://127.0.0.1:" + port + "/generate-uuid");
        assertEquals("invalid: stopped early", out.toString().strip().replaceFirst(".* \\| ", ""), err.toString());
        assertFalse(err.toString().contains("errors: "), err.toString());
        assertEquals(ExitCode.INVALID, code);
    }
}
