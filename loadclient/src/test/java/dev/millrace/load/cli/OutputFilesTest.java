package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One file for two outputs would hold the last one only. Nothing listens at these URLs: nothing may be asked. */
class OutputFilesTest {

    private static final String A = "http://127.0.0.1:9/a";
    private static final String B = "http://127.0.0.1:9/b";

    @TempDir
    private Path folder;

    private void assertRefused(String reason, List<String> words) throws IOException {
        Cli cli = Cli.run(words.toArray(String[]::new));
        assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        assertTrue(cli.err().startsWith("loadclient: " + reason), cli.err());
        assertEquals("", cli.out());
        try (var files = Files.list(folder)) {
            assertEquals(
                    List.of(), files.filter(file -> !file.endsWith("old.json")).toList(), "nothing is written");
        }
    }

    @Test
    void twoOptionsThatNameOneFileAreRefused() throws IOException {
        String file = folder.resolve("one").toString();
        String other = folder.resolve("x/../one").toString();
        assertRefused(
                "--comparison-json and --comparison-markdown name one file: " + other,
                List.of("http", "--budget=1s", "--comparison-json=" + file, "--comparison-markdown=" + other, A, B));
        assertRefused(
                "--junit and --comparison-json name one file",
                List.of("http", "--budget=1s", "--junit=" + file, "--comparison-json=" + file, A, B));
        assertRefused(
                "--junit and --openmetrics name one file",
                List.of("uuid", "--junit=" + file, "--openmetrics=" + file, A));
        assertRefused(
                "--json and --markdown name one file",
                List.of("compare", "--json=" + file, "--markdown=" + file, A, B));
    }

    @Test
    void aFileOfTheReportIsNoOtherFile() throws IOException {
        Path out = folder.resolve("out");
        for (String name : List.of("run.json", "report.html", "cells.txt", "cells.csv", "latency.hlog", "hgrm")) {
            assertRefused(
                    "--junit names a file of --output: ",
                    List.of("http", "--junit=" + out.resolve(name), "-o=" + out, A));
        }
        assertRefused(
                "--comparison-json names a file of --output: ",
                List.of("compare", "--json=" + out + "/run.json", A, B, "--", "-o=" + out));
    }

    @Test
    void aRunThatIsComparedIsNotOverwritten() throws IOException {
        Path old = Files.writeString(folder.resolve("old.json"), "{}");
        for (String option : List.of("--json", "--markdown")) {
            assertRefused(
                    option + " would take the place of " + old,
                    List.of("compare", option + "=" + old, old + "#x", "b"));
            assertRefused(
                    option + " would take the place of " + old,
                    List.of("compare", option + "=" + old, "--noise=" + old, "a", "b"));
        }
        assertEquals("{}", Files.readString(old));
        assertFalse(Files.exists(folder.resolve("x")));
    }
}
