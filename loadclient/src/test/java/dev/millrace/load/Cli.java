package dev.millrace.load;

import java.io.PrintWriter;
import java.io.StringWriter;
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

    List<String> outLines() {
        return out.lines().toList();
    }
}
