package dev.millrace.load;

import dev.millrace.load.report.MarkdownPage;
import dev.millrace.load.report.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loadclient report run.json}: makes the page and the other forms again, without a new load. */
@Command(name = "report", mixinStandardHelpOptions = true,
        description = "Makes report.html, cells.csv, latency.hlog and hgrm files again from a run.json; or one page of "
                + "Markdown from the run.json of several replays.",
        footer = {"", "Examples:", "  loadclient report -o page out/run.json",
            "  loadclient report --markdown page.md results/cowtown results/minar"})
final class ReportCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(names = {"-o", "--output"}, paramLabel = "DIR", description = "Folder (default: that of the run.json).")
    private Path output;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Writes this page, and nothing else.")
    private Path markdown;

    @Parameters(arity = "1..*", paramLabel = "RUN", description = "A run.json, or a folder with one.")
    private List<Path> runs;

    @Override
    public Integer call() throws IOException {
        if (markdown != null && output != null) {
            throw new ParameterException(spec.commandLine(), "--markdown and --output exclude each other");
        }
        if (markdown != null && markdown.toString().endsWith(".json")) {
            // Most likely the first of the runs, with the page's name forgotten.
            throw new ParameterException(spec.commandLine(), "--markdown writes a page: " + markdown + " is a run's name");
        }
        if (markdown == null && runs.size() > 1) {
            throw new ParameterException(spec.commandLine(), "several runs make a page by --markdown only");
        }
        List<RunFile> loaded = new ArrayList<>();
        for (Path run : runs) {
            loaded.add(RunFile.read(file(run)));
        }
        if (markdown == null) {
            Path folder = output != null ? output : file(runs.get(0)).toAbsolutePath().getParent();
            spec.commandLine().getOut().println(loaded.get(0).write(folder));
            return Main.GOOD;
        }
        if (loaded.stream().allMatch(run -> run.experiment() == null)) {
            throw new IOException("none of these runs is a replay");
        }
        String command = "loadclient report --markdown " + markdown + " "
                + runs.stream().map(Path::toString).collect(Collectors.joining(" "));
        Files.writeString(markdown, MarkdownPage.of(loaded, command));
        spec.commandLine().getOut().println(markdown);
        return Main.GOOD;
    }

    private static Path file(Path run) {
        return Files.isDirectory(run) ? run.resolve("run.json") : run;
    }
}
