package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.FakeWar;
import dev.millrace.load.report.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demonstration against a stand-in for the application, in a JVM of its own. */
class DemoTest {

    @TempDir
    private Path folder;

    private Cli demo(String war) throws IOException {
        Cli cli = Cli.run(
                "demo",
                "-d",
                "100ms",
                "--warmup=50ms",
                "-o",
                folder.resolve("out").toString(),
                FakeWar.in(folder, war).toString());
        assertEquals(List.of(), ProcessHandle.current().children().toList(), "nothing is left running");
        return cli;
    }

    @Test
    void printsOneTableAndNamesTheReport() throws IOException {
        Cli cli = demo("good.war");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        List<String> lines = cli.outLines();
        assertTrue(lines.get(0).matches("UUID requests +BIO +NIO +STOCK +BIO / STOCK +NIO / STOCK"), cli.out());
        for (String row : List.of(
                "c=1 GET ka=on",
                "c=2 GET ka=on",
                "c=4 GET ka=on",
                "c=8 GET ka=on",
                "c=20 GET ka=on",
                "c=50 GET ka=on",
                "c=100 GET ka=on",
                "c=8 POST ka=on",
                "c=8 GET ka=off",
                "c=4 s",
                "c=4 l")) {
            assertEquals(
                    1, lines.stream().filter(line -> line.startsWith(row + " ")).count(), row);
        }
        Path page = folder.resolve("out/report.html");
        assertEquals("report: " + page, lines.get(lines.size() - 1));
        assertTrue(Files.readString(page).contains("STOCK"));
        List<String> order = RunFile.read(folder.resolve("out/run.json")).cells().stream()
                .limit(6)
                .map(cell -> cell.parameters().get("clients") + cell.label())
                .toList();
        assertEquals(List.of("1BIO", "1NIO", "1STOCK", "2NIO", "2STOCK", "2BIO"), order);
    }

    @Test
    void aWrongByteFromOneListenerIsTheReason() throws IOException {
        Cli cli = demo("broken.war");
        assertEquals(ExitCode.ERRORS, cli.code());
        String last = cli.err().lines().reduce((first, second) -> second).orElseThrow();
        assertTrue(last.startsWith("loadclient: NIO c=4 ka=on mix: errors wrong digest x "), last);
    }

    @Test
    void aServerThatDoesNotStartIsTheReason() throws IOException {
        Cli cli = demo("failing.war");
        assertEquals(ExitCode.ERRORS, cli.code());
        assertEquals(
                "loadclient: the server ended before it listened: no such thing as a free port",
                cli.err().strip());
    }

    @Test
    void aMissingWarIsTheReason() {
        Cli cli = Cli.run(
                "demo", "-o", folder.toString(), folder.resolve("none.war").toString());
        assertEquals(ExitCode.USAGE, cli.code());
        assertTrue(cli.err().startsWith("loadclient: no such file: "), cli.err());
    }
}
