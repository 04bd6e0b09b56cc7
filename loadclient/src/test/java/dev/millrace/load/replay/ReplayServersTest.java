package dev.millrace.load.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.http.Target;
import dev.millrace.load.server.ServerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
