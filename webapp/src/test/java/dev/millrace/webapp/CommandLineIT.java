package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code java -jar millrace.war} as a user calls it: its output, its exit code, and the files that it leaves. */
class CommandLineIT {
    @TempDir
    static Path noFiles;

    @TempDir
    Path temporary;

    @AfterEach
    void nothingIsLeftBehind() throws IOException {
        try (Stream<Path> left = Files.list(temporary)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--what", "--bio-port=x", "--nio-port", "--files=/no/such/folder"})
    void aWrongOptionIsOneLineAndExitTwo(String option) throws Exception {
        try (ServerProcess server = ServerProcess.war(temporary, option)) {
            assertEquals(2, server.exitCode());
            assertEquals(List.of(), server.out());
            assertEquals(1, server.err().size(), server.err().toString());
            assertTrue(
                    server.err().get(0).startsWith("millrace: "), server.err().toString());
        }
    }

    @Test
    void helpNamesTheOptions() throws Exception {
        try (ServerProcess server = ServerProcess.war(temporary, "--help")) {
            assertEquals(0, server.exitCode());
            assertTrue(
                    String.join("\n", server.out()).contains("--stock-port PORT"),
                    server.out().toString());
            assertEquals(List.of(), server.err());
        }
    }

    @Test
    void theVersionNamesJettyAndJava() throws Exception {
        try (ServerProcess server = ServerProcess.war(temporary, "--version")) {
            assertEquals(0, server.exitCode());
            assertEquals(1, server.out().size(), server.out().toString());
            assertTrue(
                    server.out().get(0).matches("Millrace \\d\\S+, Jetty 12\\.\\S+, Java \\S+"),
                    server.out().toString());
            assertEquals(List.of(), server.err());
        }
    }

    @Test
    void aPortInUseIsOneLineAndExitOne() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                ServerProcess server =
                        ServerProcess.war(temporary, "--nio-port=0", "--bio-port=" + taken.getLocalPort())) {
            assertEquals(1, server.exitCode());
            assertEquals(List.of(), server.out());
            assertEquals(
                    List.of("millrace: could not start: Failed to bind to /127.0.0.1:" + taken.getLocalPort()
                            + ": Address already in use"),
                    server.err());
        }
    }

    @Test
    void noRoomToUnpackIsOneLineAndExitOne() throws Exception {
        // No user may make a file there, not even root. Newer JVMs warn of a missing folder in a line of their own.
        Path readOnly = Path.of("/proc");
        try (ServerProcess server = ServerProcess.java(
                temporary,
                List.of("-Djava.io.tmpdir=" + readOnly, "-jar", System.getProperty("millrace.war"), "--bio-port=0"))) {
            assertEquals(1, server.exitCode());
            assertEquals(List.of(), server.out());
            assertEquals(1, server.err().size(), server.err().toString());
            assertTrue(
                    server.err().get(0).startsWith("millrace: could not start: cannot unpack into " + readOnly + ": "),
                    server.err().toString());
        }
    }

    @Test
    void sigtermEndsItAndOnlyTheListenersAskedForAreOn() throws Exception {
        try (ServerProcess server = ServerProcess.war(temporary, "--bio-port=-1", "--nio-port=0")) {
            String url = server.url("NIO");
            assertEquals("Hello, World!", Http.get(url, "/hello").text());
            assertEquals(1, server.out().size(), server.out().toString());
            server.terminate();
            int code = server.exitCode();
            assertTrue(code == 143 || code == 0, "exit code " + code);
            assertEquals(List.of(), server.err());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "webapp",
                "webapp/WEB-INF",
                "webapp/WEB-INF/server",
                "webapp/WEB-INF/server",
                "files",
                "files/20MB.bin",
                "tmp-millrace"
            })
    void itMayBeEndedWhileItStarts(String step) throws Exception {
        try (ServerProcess server = ServerProcess.war(temporary, "--bio-port=0", "--nio-port=-1")) {
            while (!has(step)) {
                LockSupport.parkNanos(100_000);
            }
            server.terminate();
            assertEquals(143, server.exitCode());
            // Jetty may log missing classes, but the application must log nothing.
            assertTrue(
                    server.err().stream().noneMatch(line -> line.matches("millrace: .*|Exception in .*")),
                    server.err().toString());
        }
    }

    private boolean has(String step) throws IOException {
        try (Stream<Path> homes = Files.list(temporary)) {
            return homes.anyMatch(home -> Files.exists(home.resolve(step)));
        }
    }

    @Test
    void aCachedFileIsTheSameFile() throws Exception {
        try (ServerProcess server =
                ServerProcess.war(temporary, "--bio-port=0", "--nio-port=-1", "--content-cache=1000000")) {
            String first = Http.get(server.url("BIO"), "/files/1KB.bin").md5();
            for (int i = 0; i < 10; i++) {
                assertEquals(
                        first, Http.get(server.url("BIO"), "/files/1KB.bin").md5());
            }
            server.terminate();
            server.exitCode();
        }
    }

    @Test
    void itEndsInOrderWhenItsWarWasReplacedMeanwhile(@TempDir Path elsewhere) throws Exception {
        Path war = Files.copy(Path.of(System.getProperty("millrace.war")), elsewhere.resolve("copy.war"));
        try (ServerProcess server = ServerProcess.java(
                temporary,
                List.of("-Djava.io.tmpdir=" + temporary, "-jar", war.toString(), "--bio-port=0", "--nio-port=-1"))) {
            assertEquals("Hello, World!", Http.get(server.url("BIO"), "/hello").text());
            Files.write(war, new byte[1000]);
            server.terminate();
            server.exitCode();
            assertEquals(List.of(), server.err());
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void openEventStreamsEndWithTheServer() throws Exception {
        try (ServerProcess server =
                ServerProcess.war(temporary, "--bio-port=0", "--nio-port=0", "--files", noFiles.toString())) {
            try (Http.Events bio = new Http.Events(server.url("BIO"), "/stats");
                    Http.Events nio = new Http.Events(server.url("NIO"), "/stats")) {
                bio.next();
                nio.next();
                server.terminate();
                bio.end();
                nio.end();
            }
            server.exitCode();
            assertEquals(List.of(), server.err());
        }
    }

    @Test
    void theAccessLogHasALineForEachRequest(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("access.log");
        try (ServerProcess server = ServerProcess.war(
                temporary,
                "--bio-port=0",
                "--nio-port=0",
                "--files",
                noFiles.toString(),
                "--access-log",
                log.toString())) {
            String bio = server.url("BIO");
            Http.get(bio, "/hello", "User-Agent: test");
            Http.get(server.url("NIO"), "/missing");
            // A client has an answer's last byte before the server logs it.
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (Files.readString(log).lines().count() < 2 && System.nanoTime() < end) {
                Thread.yield();
            }
            server.terminate();
            server.exitCode();
            String text = Files.readString(log);
            String port = bio.substring(bio.lastIndexOf(':') + 1);
            assertTrue(
                    text.matches("(?s).*127\\.0\\.0\\.1 - - \\[[^]]+] \"GET /hello HTTP/1\\.1\" 200 13 \"-?\" "
                            + "\"test\" " + port + " \\d+\\R.*"),
                    text);
            assertTrue(text.contains("\"GET /missing HTTP/1.1\" 404 "), text);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aListenerTakesNoMoreConnectionsThanAllowed() throws Exception {
        try (ServerProcess server = ServerProcess.war(
                temporary,
                "--bio-port=0",
                "--nio-port=0",
                "--stock-port=0",
                "--files",
                noFiles.toString(),
                "--max-connections=2")) {
            for (String listener : List.of("BIO", "NIO", "STOCK")) {
                takesTwoConnections(listener, server.url(listener));
            }
            server.terminate();
            server.exitCode();
        }
    }

    private static void takesTwoConnections(String listener, String url) throws Exception {
        try (Http.Events first = new Http.Events(url, "/stats");
                Http.Events second = new Http.Events(url, "/stats");
                Http.Events third = new Http.Events(url, "/stats")) {
            second.next();
            first.next();
            assertTrue(third.isSilentFor(300), listener + " served beyond the limit");
            first.close();
            third.next();
        }
    }

    @Test
    void aFolderOfTheUsersIsServedAndLeftAlone(@TempDir Path folder) throws Exception {
        Files.writeString(Files.createDirectory(folder.resolve("sub")).resolve("a.txt"), "abc");
        try (ServerProcess server =
                ServerProcess.war(temporary, "--bio-port=0", "--nio-port=-1", "--files", folder.toString())) {
            String url = server.url("BIO");
            assertEquals(
                    "{\"files\":[{\"name\":\"sub/a.txt\",\"size\":3,\"md5\":"
                            + "\"900150983cd24fb0d6963f7d28e17f72\"}]}",
                    Http.get(url, "/files/catalog.json").text());
            assertEquals("abc", Http.get(url, "/files/sub/a.txt").text());
            assertEquals("abc", Http.get(url, "/download?name=sub/a.txt").text());
            server.terminate();
            server.exitCode();
        }
        assertEquals("abc", Files.readString(folder.resolve("sub/a.txt")));
    }
}
