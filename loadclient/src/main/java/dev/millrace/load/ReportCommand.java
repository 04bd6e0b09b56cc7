package dev.millrace.load;

import dev.millrace.load.report.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loadclient report run.json}: makes the page and the other forms again, without a new load. */
@Command(name = "report", mixinStandardHelpOptions = true,
        description = "Makes report.html, cells.csv, latency.hlog and hgrm files again from a run.json.",
        footer = {"", "Example:", "  loadclient report -o page out/run.json"})
final class ReportCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(names = {"-o", "--output"}, paramLabel = "DIR", description = "Folder (default: that of the run.json).")
    private Path output;

    @Parameters(paramLabel = "RUN", description = "A run.json, or a folder with one.")
    private Path run;

    @Override
    public Integer call() throws IOException {
        Path file = Files.isDirectory(run) ? run.resolve("run.json") : run;
        RunFile loaded = RunFile.read(file);
        Path folder = output != null ? output : file.toAbsolutePath().getParent();
        spec.commandLine().getOut().println(loaded.write(folder));
        return Main.GOOD;
    }
}
