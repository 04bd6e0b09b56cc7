package dev.millrace.load.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestThreads;
import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.http.Target;
import dev.millrace.load.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The servers of a replay, which a script may start. */
class ReplayServersTest {

    @TempDir
    private Path folder;

    /** Says that it listens, and runs until it is killed. */
    static final class Listening {

        private Listening() {}

        public static void main(String[] args) throws Exception {
            System.out.println("listening on http://127.0.0.1:1");
            Thread.currentThread().join();
        }
    }

    /** Its processor time would not be seen, and nothing would end it. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the server is a script for /bin/sh")
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void aServerThatGoesIntoTheBackgroundIsTold() throws Exception {
        Path log = folder.resolve("server.log");
        Path pid = folder.resolve("pid");
        Path release = folder.resolve("release");
        Path listen = folder.resolve("listen");
        String script = "(until [ -e " + listen
                + " ]; do sleep 0.01; done; echo listening on http://127.0.0.1:1; exec sleep 60) & echo $! > " + pid
                + "; until [ -e " + release + " ]; do sleep 0.01; done";
        try (ServerProcess process = ServerProcess.of(List.of("/bin/sh", "-c", script), 1, log)) {
            // The JDK closes the pipe at the script's end, unless a thread reads from it.
            TestThreads.awaitWithin("server-output", "readBytes");
            Files.createFile(release);
            // The JDK has noted the end, and waits for the reader.
            TestThreads.awaitWithin("process reaper", "processExited");
            Files.createFile(listen);
            IOException failure = assertThrows(IOException.class, process::awaitListeners);
            assertEquals(
                    "the command has ended. It must run the server in the foreground, see " + log,
                    failure.getMessage());
        } finally {
            ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).ifPresent(ProcessHandle::destroy);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void whatAScriptThatHasEndedLeavesBehindEndsToo() throws Exception {
        Path pid = folder.resolve("pid");
        Path release = folder.resolve("release");
        // The server listens after its number is written, for the test reads the number as soon as the server listens.
        String script = "(until [ -s " + pid
                + " ]; do sleep 0.01; done; echo listening on http://127.0.0.1:1; exec sleep 60) & echo $! > " + pid
                + "; until [ -e " + release + " ]; do sleep 0.01; done";
        ProcessHandle server;
        try (ServerProcess process =
                ServerProcess.of(List.of("/bin/sh", "-c", script), 1, folder.resolve("server.log"))) {
            process.awaitListeners();
            server = ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
                    .orElseThrow();
            Files.createFile(release);
            while (ProcessHandle.of(process.pid()).isPresent()) {
                Thread.onSpinWait();
            }
        }
        boolean runs = server.isAlive() && !new ProcessCpu(server.pid()).isZombie();
        server.destroy();
        assertFalse(runs);
    }

    /** A warm-up that looked at the script alone would take the compilers of the server for resting at once. */
    @Test
    @EnabledOnOs(OS.LINUX)
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void theCompilersOfAServerThatAScriptStartsAreItsOwn() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        // All methods are compiled before they run, by threads that the kernel's ticks of 10 ms do not miss.
        String script = "\"$0\" -Xcomp -XX:TieredStopAtLevel=1 -cp \"$1\" \"$2\" & wait";
        List<String> command = List.of(
                "/bin/sh", "-c", script, java, System.getProperty("java.class.path"), Listening.class.getName());
        try (ServerProcess process = ServerProcess.of(command, 1, folder.resolve("server.log"))) {
            Map<String, String> urls = process.awaitListeners();
            assertEquals(Map.of("", "http://127.0.0.1:1"), urls);
            ReplayServers.Running server = new ReplayServers.Running(process, Target.of(urls.get("") + "/"));
            assertTrue(server.cpu().compilerNanos() > 0, "only the script's");
        }
    }
}
