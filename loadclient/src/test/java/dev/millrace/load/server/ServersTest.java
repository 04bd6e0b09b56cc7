package dev.millrace.load.server;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.TestThreads;
import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Servers that this program starts, and the processes of servers that it finds. */
class ServersTest {

    @TempDir
    private Path folder;

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void aServerThatIsGoneDoesNotListen() throws Exception {
        Path log = folder.resolve("gone.log");
        try (TestServer other = new TestServer(TestServer::answerUuids);
                ServerProcess process = ServerProcess.ofCommand("echo the port is taken", log)) {
            ProcessHandle.of(process.pid()).ifPresent(handle -> handle.onExit().join());
            IOException failure = assertThrows(
                    IOException.class,
                    () -> process.awaitPort(Target.of(other.url("/")).address()));
            assertEquals("the server ended before it listened: the port is taken", failure.getMessage());
        }
    }

    /** A command may start it there, by ssh for example. */
    @Test
    @Timeout(30)
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void aServerMayBeAThirdOfASecondAway() throws Exception {
        InetSocketAddress far = new InetSocketAddress("127.0.0.1", 1);
        try (ServerProcess process = ServerProcess.ofCommand("exec sleep 60", folder.resolve("far.log"))) {
            assertDoesNotThrow(() -> process.awaitPort(far, millis -> millis >= 333));
        }
    }

    @Test
    @Timeout(30)
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void aServerThatGoesIntoTheBackgroundIsTold() throws Exception {
        Path log = folder.resolve("daemon.log");
        Path pid = folder.resolve("pid");
        Path release = folder.resolve("release");
        String command = "sleep 60 & echo $! > " + pid + "; until [ -e " + release + " ]; do sleep 0.01; done";
        // Nothing listens on a port that is bound only, and no other program can.
        try (Socket bound = new Socket();
                ServerProcess process = ServerProcess.ofCommand(command, log)) {
            bound.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            InetSocketAddress address =
                    Target.of("http://127.0.0.1:" + bound.getLocalPort() + "/").address();
            // The JDK closes the pipe at the command's end, unless a thread reads from it. No onExit() here: it may
            // wait for the end of the output, for its thread helps to close that pipe.
            TestThreads.awaitWithin("server-output", "readBytes");
            Files.createFile(release);
            IOException failure = assertThrows(IOException.class, () -> process.awaitPort(address));
            assertEquals(
                    "the command has ended, and left a process behind that still has its output. It must run the "
                            + "server in the foreground, see " + log,
                    failure.getMessage());
        } finally {
            ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).ifPresent(ProcessHandle::destroy);
        }
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void ofALineWithoutEndTheBeginningIsKept() throws Exception {
        Path log = folder.resolve("endless.log");
        try (TestServer other = new TestServer(TestServer::answerUuids);
                ServerProcess process =
                        ServerProcess.ofCommand("head -c 3000000 /dev/zero | tr '\\0' x; echo x", log)) {
            ProcessHandle.of(process.pid()).ifPresent(handle -> handle.onExit().join());
            IOException failure = assertThrows(
                    IOException.class,
                    () -> process.awaitPort(Target.of(other.url("/")).address()));
            assertTrue(failure.getMessage().startsWith("the server ended before it listened: xxx"));
            assertTrue(
                    failure.getMessage().length() < 2000,
                    () -> "kept " + failure.getMessage().length());
            assertEquals(3_000_002, Files.size(log));
        }
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the server is a shell")
    void aPasswordInAServersCommandIsHidden() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "read line", "http://me:secret@a/").start();
        Target target = Target.of("http://127.0.0.1:1/");
        try (Servers servers = new Servers(
                List.of(new Servers.Entry("b", target, process.pid(), null, null)), folder, TlsSettings.ofJdk())) {
            Map<String, String> facts = new TreeMap<>();
            servers.describe(facts);
            String described = facts.get("server process b");
            assertTrue(described.endsWith(" -c read line http://me:***@a/"), described);
        } finally {
            process.destroy();
        }
    }

    /** What nobody reads fills the pipe, and the server would wait in its next write. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void aServerWhoseLogCannotBeWrittenIsNotStarted() throws Exception {
        Path taken = Files.createDirectory(folder.resolve("server.log"));
        Path begun = folder.resolve("begun");
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            Target target = Target.of("http://127.0.0.1:" + bound.getLocalPort() + "/");
            String command = "touch " + begun + "; exit 1";
            try (Servers servers = new Servers(
                    List.of(new Servers.Entry("", target, null, null, command)), folder, TlsSettings.ofJdk())) {
                IOException failure = assertThrows(IOException.class, servers::startBlock);
                assertTrue(failure.getMessage().startsWith("cannot write to " + taken), failure.getMessage());
                assertFalse(Files.exists(begun));
            }
        }
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void twoThreadsMayEndServersAtOnce() throws Exception {
        Path begun = folder.resolve("begun");
        Path release = folder.resolve("release");
        // The shell ends at once, and its child when it is let go.
        String child = "trap '' TERM; touch " + begun + "; until [ -e " + release + " ]; do sleep 0.01; done";
        String command = "(" + child + ") > /dev/null 2>&1 & wait";
        // Nothing listens on a port that is bound only, and no other program can.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            Target target = Target.of("http://127.0.0.1:" + bound.getLocalPort() + "/");
            Servers servers = new Servers(
                    List.of(new Servers.Entry("", target, null, null, command)), folder, TlsSettings.ofJdk());
            // Both wait, and the common pool may have a single thread.
            CompletableFuture<Void> starting = CompletableFuture.runAsync(
                    () -> {
                        try (servers) {
                            servers.startBlock();
                        } catch (IOException | InterruptedException e) {
                            throw new CompletionException(e);
                        }
                    },
                    task -> new Thread(task).start());
            while (servers.process("") == null || !Files.exists(begun)) {
                Thread.onSpinWait();
            }
            CompletableFuture<Void> ctrlC =
                    CompletableFuture.runAsync(servers::close, task -> new Thread(task).start());
            assertThrows(CompletionException.class, starting::join);
            Files.createFile(release);
            ctrlC.join();
        }
    }

    /** Ctrl-C may come when a server has begun, and nobody knows its process yet. */
    @Test
    @Timeout(30)
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void nothingIsStartedAfterTheEnd() throws Exception {
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            Target target = Target.of("http://127.0.0.1:" + bound.getLocalPort() + "/");
            Servers servers = new Servers(
                    List.of(new Servers.Entry("", target, null, null, "exec sleep 600")), folder, TlsSettings.ofJdk());
            servers.close();
            IOException failure = assertThrows(IOException.class, servers::startBlock);
            assertEquals("the servers were ended", failure.getMessage());
            assertEquals(List.of(), ProcessHandle.current().children().toList());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aServerThatWasFoundIsNotTakenForTheNextOne() throws IOException {
        ProcessCpu self = new ProcessCpu(ProcessHandle.current().pid(), true);
        TestServer server = new TestServer(TestServer::answerUuids);
        Target target = Target.of(server.url("/"));
        try (Servers servers =
                new Servers(List.of(new Servers.Entry("", target, null, null, null)), folder, TlsSettings.ofJdk())) {
            try (server) {
                assertEquals(self, servers.process(""));
                assertEquals(self, servers.process(""));
            }
            // Another program may have got the port, and is its server then.
            assertNotEquals(self, servers.process(""));
        }
    }

    @Test
    void theTimeOfAServersWorkersIsItsOwn() throws IOException {
        long self = ProcessHandle.current().pid();
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Target target = Target.of(server.url("/"));
            List<Servers.Entry> entries = List.of(
                    new Servers.Entry("found", target, null, null, null),
                    new Servers.Entry("named", target, self, null, null));
            try (Servers servers = new Servers(entries, folder, TlsSettings.ofJdk())) {
                assertEquals(new ProcessCpu(self, true), servers.process("named"));
                if (OS.LINUX.isCurrentOs()) {
                    assertEquals(new ProcessCpu(self, true), servers.process("found"));
                }
            }
        }
    }

    /** Listens on a port together with the process that has started it. */
    static final class Sharing {

        private Sharing() {}

        public static void main(String[] args) throws Exception {
            try (ServerSocket listener = sharing(Integer.parseInt(args[0]))) {
                System.out.println(listener.getLocalPort());
                Thread.currentThread().join();
            }
        }
    }

    private static ServerSocket sharing(int port) throws IOException {
        ServerSocket listener = new ServerSocket();
        listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
        listener.bind(new InetSocketAddress("127.0.0.1", port));
        return listener;
    }

    /** As a worker of nginx does, whose master has the socket too. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aProcessThatListensTogetherWithTheOneThatStartedItMayBeNamed() throws Exception {
        try (ServerSocket own = sharing(0);
                Servers servers = new Servers(List.of(), folder, TlsSettings.ofJdk())) {
            Process child = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Sharing.class.getName(),
                            Integer.toString(own.getLocalPort()))
                    .start();
            try {
                assertEquals(
                        Integer.toString(own.getLocalPort()),
                        child.inputReader().readLine());
                Target target = Target.of("http://127.0.0.1:" + own.getLocalPort() + "/");
                assertNull(servers.wrongProcess(new Servers.Entry("", target, child.pid(), null, null)));
            } finally {
                child.destroyForcibly().waitFor();
            }
        }
    }
}
