package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

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
}
