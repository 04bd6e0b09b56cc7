package dev.millrace.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.report.RunFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The packaged program, as users start it. */
@Execution(ExecutionMode.CONCURRENT)
class LoadClientJarIT {

    @TempDir
    private Path folder;

    private static Process start(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // The JVM would warn on standard output.
                "-Xlog:disable",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                System.getProperty("loadclient.jar")));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).start();
    }

    @Test
    void measuresAndEndsWithZero() throws Exception {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Process client = start("uuid", "-c", "2", "-n", "10", "--warmup=0s", server.url("/generate-uuid"));
            String out = new String(client.getInputStream().readAllBytes(), UTF_8);
            assertEquals(0, client.waitFor());
            assertTrue(out.startsWith("c=2 GET ka=on RANDOM n=1"), out);
            assertEquals(1, out.lines().count());
        }
    }

    @Test
    void aWrongCommandLineEndsWithTwo() throws Exception {
        Process client = start("uuid", "--nonsense");
        assertEquals(
                1,
                new String(client.getErrorStream().readAllBytes(), UTF_8)
                        .lines()
                        .count());
        assertEquals(2, client.waitFor());
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the launcher is a script for /bin/sh")
    void theZipHasALauncher() throws Exception {
        try (ZipFile zip = new ZipFile(System.getProperty("loadclient.zip"))) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(entry.isDirectory() ? file : file.getParent());
                if (!entry.isDirectory()) {
                    Files.copy(zip.getInputStream(entry), file);
                }
            }
        }
        Path link = Files.createSymbolicLink(folder.resolve("lc"), folder.resolve("loadclient/bin/loadclient"));
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", link.toString(), "--version");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("LOADCLIENT_OPTS", "-Xlog:disable -Xmx64m -Xss512k");
        Process client = builder.redirectErrorStream(true).start();
        assertEquals(
                "Millrace load client 0.1.0", new String(client.getInputStream().readAllBytes(), UTF_8).strip());
        assertEquals(0, client.waitFor());
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Process.destroy() kills there, no signal to react to")
    void reportsWhatItHasWhenToldToEnd() throws Exception {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Process client = start(
                    "uuid",
                    "-c",
                    "1",
                    "-d",
                    "10m",
                    "--warmup=0s",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            try (BufferedReader progress = new BufferedReader(new InputStreamReader(client.getErrorStream(), UTF_8))) {
                String line = progress.readLine();
                while (line != null && !line.matches("\\[1/1] window .*  [1-9][0-9,]* req/s .*")) {
                    line = progress.readLine();
                }
                // Process.destroy() would close the streams before the test has read them.
                client.toHandle().destroy();
                String out = new String(client.getInputStream().readAllBytes(), UTF_8);
                // 128, and the number of SIGTERM.
                assertEquals(143, client.waitFor());
                assertTrue(out.contains("invalid: stopped early"), out);
                assertTrue(RunFile.read(folder.resolve("run.json"))
                                .cells()
                                .get(0)
                                .counts()
                                .requests()
                        > 0);
            }
        }
    }
}
