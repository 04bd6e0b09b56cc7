package dev.millrace.load.cli;

import dev.millrace.load.run.Interruption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;

/** The result of a command that ran inside this JVM: exit code and output. */
record Cli(int code, String out, String err) {

    static Cli run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Interruption interruption = new Interruption();
        CommandLine line = Main.commandLine(interruption);
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        try {
            return new Cli(line.execute(args), out.toString(), err.toString());
        } finally {
            // The end of this JVM waits for a command that has not told its own.
            interruption.finished();
        }
    }

    /** A column of the single cell in a run's {@code cells.csv}. No field may hold a quote. */
    static String column(Path folder, String name) throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve("cells.csv"));
        return lines.get(1).split(",", -1)[List.of(lines.get(0).split(",")).indexOf(name)];
    }

    List<String> outLines() {
        return out.lines().toList();
    }
}
