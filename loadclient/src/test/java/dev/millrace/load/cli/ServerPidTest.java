package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code --server-pid} takes the process that listens, or one that has started it. */
@EnabledOnOs(OS.LINUX)
class ServerPidTest {

    private static Cli run(TestServer server, long pid) {
        return Cli.run(
                "uuid", "-c=1", "-n=3", "--warmup=0s", "-q", "--server-pid=" + pid, server.url("/generate-uuid"));
    }

    @Test
    void aProcessThatDoesNotListenThereIsRefused() throws IOException {
        Process other = new ProcessBuilder("sleep", "60").start();
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = run(server, other.pid());
            assertEquals(ExitCode.USAGE, cli.code(), cli.err());
            assertTrue(
                    cli.err()
                            .matches("(?s)loadclient: --server-pid: process " + other.pid()
                                    + " \\(\\S*sleep 60\\) does not listen on 127\\.0\\.0\\.1:\\d+, process "
                                    + ProcessHandle.current().pid()
                                    + " \\(\\S*java.{0,103}\\) does; that one is "
                                    + "taken without --server-pid\\. If it only passes connections on, take a URL of the "
                                    + "server behind it, or --server-cpu-url .*"),
                    cli.err());
            assertTrue(server.requests().isEmpty());
        } finally {
            other.destroyForcibly();
        }
    }

    /** Answers under the name of a process that listens for another one. */
    static final class Proxy {

        private Proxy() {}

        public static void main(String[] args) throws Exception {
            Files.writeString(Path.of("/proc/self/comm"), "docker-proxy");
            try (TestServer server = new TestServer(TestServer::answerUuids)) {
                System.out.println(server.url("/generate-uuid"));
                Thread.currentThread().join();
            }
        }
    }

    @Test
    void aNoteTellsThatNothingShowsWhoseServerItIs() throws Exception {
        Process proxy = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Proxy.class.getName())
                .start();
        try (BufferedReader told = proxy.inputReader()) {
            long self = ProcessHandle.current().pid();
            String url = told.readLine();
            List<String> words = List.of("uuid", "-c=1", "-n=3", "--warmup=0s", "--progress=none", url);
            Cli found = Cli.run(words.toArray(String[]::new));
            assertTrue(found.err().contains("note: the process of " + url + " is not known"), found.err());
            Cli named = Cli.run(Stream.concat(words.stream(), Stream.of("--server-pid=" + self))
                    .toArray(String[]::new));
            assertEquals(ExitCode.GOOD, named.code(), named.err());
            assertTrue(
                    named.err()
                            .contains("note: which process listens for " + url + " is not known: that of --server-pid, "
                                    + self + ", is taken unchecked"),
                    named.err());
        } finally {
            proxy.destroyForcibly().waitFor();
        }
    }

    /** Two lines of a second each: the use of cores is that between them. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aBarShowsTimeErrorsAndTheCpuOfTheProcessThatListens() throws IOException {
        try (TestServer server = new TestServer(TestServer.unhurried(TestServer::answerUuids))) {
            String url = server.url("/generate-uuid");
            Cli cli = Cli.run("uuid", "-c=1", "-d=5s", "--warmup=0s", "--progress=bar", url);
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            String bar = "(?s).*window #+\\.* \\d+s left  [0-9,]+ req/s  [0-9.,]+ MB/s  errors 0  server [0-9.]+ cpu.*";
            assertTrue(cli.err().matches(bar), cli.err());
        }
    }

    @Test
    void theProcessThatListensAndOneThatStartedItAreTaken() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(
                    ExitCode.GOOD, run(server, ProcessHandle.current().pid()).code());
            long parent = ProcessHandle.current().parent().orElseThrow().pid();
            assertEquals(ExitCode.GOOD, run(server, parent).code());
        }
    }
}
