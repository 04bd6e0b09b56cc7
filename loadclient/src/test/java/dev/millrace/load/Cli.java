package dev.millrace.load;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;

/** Runs a command inside this JVM and keeps what it printed. */
record Cli(int code, String out, String err) {

    static Cli run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine(new Interruption());
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return new Cli(line.execute(args), out.toString(), err.toString());
    }

    /** A column of the one cell in the table that a run has left in a folder, whose fields hold no quotes. */
    static String column(Path folder, String name) throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve("cells.csv"));
        return lines.get(1).split(",", -1)[List.of(lines.get(0).split(",")).indexOf(name)];
    }

    List<String> outLines() {
        return out.lines().toList();
    }
}
