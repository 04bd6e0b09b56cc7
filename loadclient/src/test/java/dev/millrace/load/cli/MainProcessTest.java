package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.millrace.load.TestServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program in a JVM of its own, which meets the ends of its resources. */
class MainProcessTest {

    @TempDir
    private Path folder;

    private ProcessBuilder program(String... args) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:disable",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(args));
        ProcessBuilder program = new ProcessBuilder(command);
        // The launcher would say on standard error that it has read them.
        program.environment().remove("JDK_JAVA_OPTIONS");
        return program;
    }

    private static String errors(Process process) throws IOException {
        return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void tooLittleMemoryIsOneLine() throws Exception {
        Path body = folder.resolve("body");
        try (RandomAccessFile sparse = new RandomAccessFile(body.toFile(), "rw")) {
            // More than an array holds.
            sparse.setLength(3L << 30);
        }
        Process process =
                program("http", "--body-file=" + body, "http://127.0.0.1:9/").start();
        String err = errors(process);
        assertEquals(ExitCode.ERRORS, process.waitFor(), err);
        assertEquals(1, err.lines().count(), err);
        assertTrue(err.startsWith("loadclient: out of memory: "), err);
    }

    /** A limit on the length of files cuts a run off in its middle, as a full disk does. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aRunThatCannotBeWrittenWholeLeavesTheOneBefore() throws Exception {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli.run("uuid", "-c=1", "-n=1", "--warmup=0s", "-q", "-o=" + folder, server.url("/generate-uuid"));
        }
        Path run = folder.resolve("run.json");
        Path out = Files.createDirectory(folder.resolve("out"));
        for (String before : new String[] {null, "the run before"}) {
            if (before != null) {
                Files.writeString(out.resolve("run.json"), before);
            }
            List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "ulimit -f 1; exec \"$@\"", "sh"));
            ProcessBuilder program = program("report", "-o", out.toString(), run.toString());
            command.addAll(program.command());
            command.add(command.indexOf("-Xlog:disable"), "-XX:-UsePerfData");
            Process process = program.command(command).start();
            String err = errors(process);
            assertEquals(ExitCode.ERRORS, process.waitFor(), err);
            assertTrue(err.startsWith("loadclient: cannot write into " + out + ": "), err);
            try (Stream<Path> files = Files.list(out)) {
                assertEquals(before == null ? List.of() : List.of(out.resolve("run.json")), files.toList());
            }
            if (before != null) {
                assertEquals(before, Files.readString(out.resolve("run.json")));
            }
        }
    }

    @Test
    void aQuoteInANameIsNoWarning() throws Exception {
        Process process = program("http", "--dry-run", "--label=a\"b", "http://127.0.0.1:9/")
                .start();
        assertEquals("", errors(process));
        assertEquals(ExitCode.GOOD, process.waitFor());
    }

    /** What was measured is reported. The exit code is that of a program which the signal has ended. */
    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    @EnabledOnOs(OS.LINUX)
    @Timeout(60)
    void aSignalIsInTheExitCode(String signal, int code) throws Exception {
        try (TestServer server = new TestServer(TestServer.unhurried(TestServer::answerUuids))) {
            Process process = program(
                            "uuid", "-c=1", "-d=10m", "--warmup=0s", "--progress=plain", server.url("/generate-uuid"))
                    .start();
            try (BufferedReader progress = process.errorReader()) {
                String line = progress.readLine();
                while (line != null && !line.startsWith("[1/1] window ")) {
                    line = progress.readLine();
                }
                assumeFalse(ignores(process, code - 128), "a job in the background of a shell without job control");
                new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start();
                String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertEquals(code, process.waitFor(), out);
                assertTrue(out.contains("invalid: stopped early"), out);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /** Whether a process was started with this signal ignored. The JVM leaves it so, as it must. */
    private static boolean ignores(Process process, int signal) throws IOException {
        String mask = Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .findFirst()
                .orElseThrow();
        return (Long.parseUnsignedLong(mask.replaceFirst("SigIgn:\\s*", ""), 16) >> (signal - 1) & 1) == 1;
    }

    @Test
    void coloursCanBeLeftOut() throws Exception {
        ProcessBuilder program = program("--help");
        program.environment().remove("NO_COLOR");
        program.environment().put("CLICOLOR_FORCE", "1");
        assertTrue(help(program).contains("\u001b["), "colours that were asked for");
        program.environment().put("NO_COLOR", "1");
        assertFalse(help(program).contains("\u001b["), "NO_COLOR comes first");
    }

    private static String help(ProcessBuilder program) throws IOException {
        String text = new String(program.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(text.contains("130 Ctrl-C."), text);
        return text;
    }

    /** Docker's names may have underscores, which java.net.URI does not take for a host. */
    @Test
    void aHostMayHaveAnUnderscore() throws Exception {
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.1 web_app\n");
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            String url = server.url("/?count=1").replace("127.0.0.1", "web_app");
            ProcessBuilder program = program("http", "-c=1", "-n=1", "--warmup=0s", "-q", url);
            program.command().add(1, "-Djdk.net.hosts.file=" + hosts);
            Process process = program.start();
            String err = errors(process);
            assertEquals(ExitCode.GOOD, process.waitFor(), err);
            String port = url.replaceAll("\\D*(\\d+)/.*", "$1");
            assertTrue(
                    server.requests().get(0).head().contains("Host: web_app:" + port),
                    server.requests().toString());
        }
    }

    /** A script would go on with results that it has not got. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullOutputIsAnError() throws Exception {
        Process process =
                program("--help").redirectOutput(new File("/dev/full")).start();
        String err = errors(process);
        assertEquals(ExitCode.ERRORS, process.waitFor(), err);
        assertEquals("loadclient: cannot write to standard output", err.strip());
    }

    /** As localhost is, with IPv4 and IPv6: a server that has one of the addresses is found. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aHostWithSeveralAddressesIsAskedWhereItAnswers() throws Exception {
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.2 both.test\n127.0.0.1 both.test\n");
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            String url = server.url("/?count=1").replace("127.0.0.1", "both.test");
            List<String> command = program("http", "-c=1", "-n=1", "--warmup=0s", "-q", "-o=" + folder, url)
                    .command();
            command.add(1, "-Djdk.net.hosts.file=" + hosts);
            Process process = new ProcessBuilder(command).start();
            String err = errors(process);
            assertEquals(0, process.waitFor(), err);
        }
    }
}
