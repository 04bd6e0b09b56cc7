package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An application that keeps what it is shown of an answer reads the same bytes later, and does not end the process. */
@EnabledOnOs(OS.LINUX)
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
class BufferKeeperTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#senders")
    void readsTheSameBytesLater(Connectors connectors) throws Exception {
        Path output = directory.resolve("output.txt");
        Path root = Files.createDirectory(directory.resolve("files"));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:ErrorFile=" + directory.resolve("crash.log"),
                        "-Dorg.eclipse.jetty.LEVEL=OFF",
                        "-Ddev.millrace.LEVEL=OFF",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BufferKeeper.class.getName(),
                        root.toString(),
                        connectors.name())
                .redirectErrorStream(true)
                .redirectOutput(new File(output.toString()))
                .start();
        try {
            assertTrue(process.waitFor(160, TimeUnit.SECONDS), () -> "has not ended: " + tail(output));
            assertEquals(0, process.exitValue(), () -> tail(output).toString());
            assertEquals("fine", tail(output).get(tail(output).size() - 1));
        } finally {
            process.toHandle().destroyForcibly();
        }
    }

    private static List<String> tail(Path output) {
        try {
            List<String> lines = Files.readAllLines(output);
            return lines.subList(Math.max(0, lines.size() - 25), lines.size());
        } catch (java.io.IOException x) {
            return List.of(x.toString());
        }
    }
}
