package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.FakeWar;
import dev.millrace.load.HeldPort;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Interruption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
        int code;
        try (HeldPort port = new HeldPort()) {
            code = run(
                    errors,
                    "uuid",
                    "-c=1",
                    "-d=10m",
                    "--warmup=0s",
                    "--progress=plain",
                    "--server-cmd",
                    RunOptionsTest.oneUuidServer(port),
                    "http://127.0.0.1:" + port.number() + "/generate-uuid");
        }
        assertEquals("invalid: stopped early", out.toString().strip().replaceFirst(".* \\| ", ""), err.toString());
        assertFalse(err.toString().contains("errors: "), err.toString());
        assertEquals(ExitCode.INVALID, code);
    }

    /** Asks for the end as soon as a server has begun, which never listens. Only what begins at once ends it. */
    private void interruptWhen(Path begun) {
        new Thread(
                        () -> {
                            while (!Files.exists(begun)) {
                                Thread.onSpinWait();
                            }
                            interruption.beforeExit(() -> {});
                            interruption.interrupt();
                        },
                        "interruption")
                .start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"uuid", "download", "replay"})
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the server is a script for /bin/sh")
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void aServerThatDoesNotListenEndsAtOnce(String command) throws IOException {
        Path begun = folder.resolve("begun");
        Path script = Files.writeString(folder.resolve("server"), "#!/bin/sh\ntouch " + begun + "\nexec sleep 600\n");
        assertTrue(script.toFile().setExecutable(true));
        interruptWhen(begun);
        int code;
        // Nothing listens on a port that is bound only, and no other program can.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            String url = "http://127.0.0.1:" + bound.getLocalPort() + "/";
            List<String> args = new ArrayList<>(List.of(command, "--server-cmd=" + script, "-o=" + folder));
            args.add(command.equals("replay") ? "mina" : url);
            code = run(new PrintWriter(err, true), args.toArray(String[]::new));
        }
        assertTrue(err.toString().endsWith("loadclient: stopped early" + System.lineSeparator()), err.toString());
        assertEquals(ExitCode.INVALID, code);
        assertEquals(List.of(), ProcessHandle.current().descendants().toList());
    }

    /** The user has asked for further repetitions, and what was measured before does not look complete. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void aServerThatEndsWhileItStartsAgainLeavesARunThatEndedEarly() throws IOException {
        Path first = folder.resolve("first");
        Path second = folder.resolve("second");
        interruptWhen(second);
        try (HeldPort port = new HeldPort()) {
            run(
                    new PrintWriter(err, true),
                    "uuid",
                    "-c=1",
                    "-n=5",
                    "--warmup=0s",
                    "--repeat=2",
                    "--progress=none",
                    "--server-cmd",
                    "test -e '" + first + "' && touch '" + second + "' && exec sleep 600\ntouch '" + first + "'\nexec "
                            + RunOptionsTest.oneUuidServer(port),
                    "--junit=" + folder.resolve("junit.xml"),
                    "-o=" + folder,
                    "http://127.0.0.1:" + port.number() + "/generate-uuid");
        }
        RunFile run = RunFile.read(folder.resolve("run.json"));
        assertEquals(1, run.cells().size(), err.toString());
        assertEquals("stopped early", run.plan().get(RunFile.ENDED_EARLY));
        String junit = Files.readString(folder.resolve("junit.xml"));
        assertTrue(junit.contains("<error message=\"stopped early\""), junit);
        assertFalse(err.toString().contains("loadclient: "), err.toString());
        assertEquals(List.of(), ProcessHandle.current().descendants().toList());
    }

    /** Before anything is measured there is nothing to report, and the command may wait for a server without end. */
    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void whatHasNothingToReportIsNotWaitedFor() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            String url = "http://127.0.0.1:" + silent.getLocalPort() + "/";
            Thread command = new Thread(() -> run(new PrintWriter(err, true), "download", "--timeout=1h", url));
            command.start();
            try (Socket asked = silent.accept()) {
                // The request for the catalogue.
                asked.getInputStream().read();
                long begin = System.nanoTime();
                interruption.interrupt();
                long nanos = System.nanoTime() - begin;
                assertTrue(nanos < TimeUnit.SECONDS.toNanos(8), () -> nanos + " ns");
            }
            command.join();
        }
    }
}
