package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.report.Agreement;
import dev.millrace.load.report.MarkdownPage;
import dev.millrace.load.report.MergedRun;
import dev.millrace.load.report.OutputFormat;
import dev.millrace.load.report.ReportFolder;
import dev.millrace.load.report.ResultLine;
import dev.millrace.load.report.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loadclient report run.json}: writes the page and the other formats again, without a new run. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        description =
                "Makes report.html, cells.txt, cells.csv, latency.hlog and hgrm files again from a run.json; or one page "
                        + "of Markdown from the run.json of several replays; or says whether two replays of one experiment agree.",
        footer = {
            "",
            "Examples:",
            "  loadclient report -o page out/run.json",
            "  loadclient report --markdown page.md results/cowtown results/minar",
            "  loadclient report --agree results/mina out/mina",
            "  loadclient report --merge -o sum machine1 machine2 machine3"
        })
final class ReportCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "DIR",
            description = "Folder (default: that of the run.json).")
    private @Nullable Path output;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Writes this page, and nothing else.")
    private @Nullable Path markdown;

    @Option(
            names = "--agree",
            description = "Compares two replays of the same experiment, ratio by ratio; exit 1 unless "
                    + "the intervals of all meet, as the page has them: of 97.5 %% where there may be further rounds.")
    private boolean agree;

    @Option(
            names = "--merge",
            description =
                    "Adds up runs of several machines that began together by --start-at: rates are added, histograms "
                            + "of latency too. Runs that do not belong together are refused.")
    private boolean merge;

    @Parameters(arity = "1..*", paramLabel = "RUN", description = "A run.json, or a folder with one.")
    private List<Path> runs;

    @Override
    public Integer call() throws IOException {
        if (agree) {
            return agree();
        }
        if (merge) {
            return merge();
        }
        require(markdown == null || output == null, "--markdown and --output exclude each other");
        // The user has probably forgotten the page's name, so that the first run stands in its place.
        require(
                markdown == null || !markdown.toString().endsWith(".json"),
                "--markdown writes a page: " + markdown + " is a run's name");
        require(markdown != null || runs.size() == 1, "several runs make a page by --markdown only");
        List<RunFile> loaded = runs.stream().map(ReportCommand::read).toList();
        if (markdown == null) {
            Path folder =
                    output != null ? output : file(runs.get(0)).toAbsolutePath().resolveSibling("");
            OutputFolder.prepare(folder);
            spec.commandLine().getOut().println(ReportFolder.write(loaded.get(0), folder, formats(folder)));
            return ExitCode.GOOD;
        }
        return page(loaded, markdown);
    }

    /** All formats but run.json if it is the source: were the disk full, writing it again would lose the run. */
    private Set<OutputFormat> formats(Path folder) throws IOException {
        boolean isSource = isSame(folder.resolve(RunFile.NAME), file(runs.get(0)));
        return isSource ? EnumSet.complementOf(EnumSet.of(OutputFormat.JSON)) : EnumSet.allOf(OutputFormat.class);
    }

    private static boolean isSame(Path file, Path other) throws IOException {
        return Files.exists(file) && Files.isSameFile(file, other);
    }

    private int page(List<RunFile> loaded, Path file) {
        require(loaded.stream().anyMatch(run -> run.experiment() != null), "none of these runs is a replay");
        String command = "loadclient report --markdown " + file + " "
                + runs.stream().map(Path::toString).collect(Collectors.joining(" "));
        OutputFolder.write(file, MarkdownPage.of(loaded, command));
        spec.commandLine().getOut().println(file);
        return ExitCode.GOOD;
    }

    private int merge() throws IOException {
        Path folder = output;
        if (folder == null || markdown != null) {
            throw new UsageException("--merge takes --output, the folder of the sum");
        }
        List<RunFile> loaded = runs.stream().map(ReportCommand::read).toList();
        for (Path run : runs) {
            require(
                    !isSame(folder.resolve(RunFile.NAME), file(run)),
                    "--merge: the sum would take the place of " + run);
        }
        String command = "loadclient report --merge --output " + folder + " "
                + runs.stream().map(Path::toString).collect(Collectors.joining(" "));
        RunFile sum = UsageException.parse("", () -> MergedRun.of(loaded, command));
        OutputFolder.prepare(folder);
        ResultLine.all(sum.cells(), 1).forEach(spec.commandLine().getOut()::println);
        spec.commandLine().getOut().println(sum.plan().get(RunFile.MERGED));
        spec.commandLine()
                .getErr()
                .println("report: " + ReportFolder.write(sum, folder, EnumSet.allOf(OutputFormat.class)));
        return ExitCode.of(sum.cells());
    }

    private int agree() {
        require(!merge, "--agree and --merge exclude each other");
        require(runs.size() == 2 && markdown == null && output == null, "--agree takes two runs, and writes no file");
        Agreement agreement = UsageException.parse("", () -> Agreement.of(read(runs.get(0)), read(runs.get(1))));
        spec.commandLine().getOut().println(agreement.text());
        return agreement.complete() ? ExitCode.GOOD : ExitCode.ERRORS;
    }

    /**
     * The run of a {@code run.json}, or of a folder with one, that the user has named.
     *
     * @throws UsageException if there is none
     */
    static RunFile read(Path run) {
        try {
            return RunFile.read(file(run));
        } catch (IOException e) {
            throw new UsageException(String.valueOf(e.getMessage()), e);
        }
    }

    /** The {@code run.json} that the user has named, or that of the folder. */
    static Path file(Path run) {
        return Files.isDirectory(run) ? run.resolve(RunFile.NAME) : run;
    }
}
