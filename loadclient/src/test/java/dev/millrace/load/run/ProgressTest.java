package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.host.ProcessCpu;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What people see while a cell runs. */
class ProgressTest {

    private final StringWriter err = new StringWriter();

    private Progress progress(Progress.Style style) {
        return new Progress(
                new PrintWriter(err, true),
                "1/3",
                style,
                new ProcessCpu(ProcessHandle.current().pid()));
    }

    @Test
    void aBarSaysHowMuchTimeIsLeft() {
        try (Progress bar = progress(Progress.Style.BAR)) {
            bar.tick(false, 4, 6, 12_345, 2_500_000, 7);
            assertTrue(
                    err.toString()
                            .startsWith(
                                    "\u001b[?7l\r\u001b[K[1/3] window ####...... 6s left  12,345 req/s  2.5 MB/s  errors 7"),
                    err.toString());
            bar.tick(true, 10, -0.01, 0, 0, 0);
            assertTrue(err.toString().contains("[1/3] warm-up ########## 0s left  0 req/s"), err.toString());
        }
        assertTrue(err.toString().endsWith("\r\u001b[K"), "nothing is left of it");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aBarSaysHowBusyTheServerIs() {
        try (Progress bar = progress(Progress.Style.BAR)) {
            bar.tick(false, 1, 1, 1, 1, 0);
            bar.tick(false, 2, 0, 1, 1, 0);
        }
        assertTrue(err.toString().matches("(?s).*errors 0  server \\d+\\.\\d\\d cpu.*"), err.toString());
    }

    /** A line of 80 columns is too short for a bar with large figures. */
    @Test
    void aBarDoesNotGoOnInTheNextLine() {
        try (Progress bar = progress(Progress.Style.BAR)) {
            bar.tick(false, 4, 6, 12_345, 2_500_000, 7);
        }
        assertTrue(err.toString().matches("(?s)\u001b\\[\\?7l.*errors 7.*\u001b\\[\\?7h\r\u001b\\[K"), err.toString());
    }

    @Test
    void aNumberOfRequestsHasNoTimeLeft() {
        try (Progress bar = progress(Progress.Style.BAR)) {
            bar.tick(false, 3, Double.NaN, 1, 0, 0);
        }
        assertTrue(err.toString().contains("[1/3] window 3s  1 req/s"), err.toString());
    }

    @Test
    void elsewhereThereIsALineASecond() {
        try (Progress lines = progress(Progress.Style.PLAIN)) {
            lines.tick(false, 3, 7, 1, 0, 0);
        }
        assertEquals(
                "[1/3] window  3s  1 req/s  0.0 MB/s  errors 0", err.toString().strip());
    }
}
