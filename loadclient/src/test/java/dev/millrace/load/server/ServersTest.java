package dev.millrace.load.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.load.TestServer;
import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.http.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
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

    @Test
    void theTimeOfAServersWorkersIsItsOwn() throws IOException {
        long self = ProcessHandle.current().pid();
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Target target = Target.of(server.url("/"));
            List<Servers.Entry> entries = List.of(
                    new Servers.Entry("found", target, null, null, null),
                    new Servers.Entry("named", target, self, null, null));
            try (Servers servers = new Servers(entries, folder)) {
                assertEquals(new ProcessCpu(self, true), servers.process("named"));
                if (OS.LINUX.isCurrentOs()) {
                    assertEquals(new ProcessCpu(self, true), servers.process("found"));
                }
            }
        }
    }
}
