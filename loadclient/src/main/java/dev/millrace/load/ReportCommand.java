package dev.millrace.load;

import dev.millrace.load.report.Agreement;
import dev.millrace.load.report.MarkdownPage;
import dev.millrace.load.report.OutputFormat;
import dev.millrace.load.report.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loadclient report run.json}: makes the page and the other forms again, without a new load. */
@Command(name = "report", mixinStandardHelpOptions = true,
        description = "Makes report.html, cells.txt, cells.csv, latency.hlog and hgrm files again from a run.json; or one page "
                + "of Markdown from the run.json of several replays; or says whether two replays of one experiment agree.",
        footer = {"", "Examples:", "  loadclient report -o page out/run.json",
            "  loadclient report --markdown page.md results/cowtown results/minar",
            "  loadclient report --agree results/mina out/mina"})
final class ReportCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(names = {"-o", "--output"}, paramLabel = "DIR", description = "Folder (default: that of the run.json).")
    private Path output;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Writes this page, and nothing else.")
    private Path markdown;

    @Option(names = "--agree", description = "Compares two replays of the same experiment, ratio by ratio; exit 1 unless "
            + "the 95 %% intervals of all meet.")
    private boolean agree;

    @Parameters(arity = "1..*", paramLabel = "RUN", description = "A run.json, or a folder with one.")
    private List<Path> runs;

    @Override
    public Integer call() throws IOException {
        if (agree) {
            return agree();
        }
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
            loaded.add(read(spec.commandLine(), run));
        }
        if (markdown == null) {
            Path folder = output != null ? output : file(runs.get(0)).toAbsolutePath().getParent();
            OutputFolder.prepare(spec.commandLine(), folder);
            spec.commandLine().getOut().println(loaded.get(0).write(folder, forms(folder)));
            return Main.GOOD;
        }
        return page(loaded);
    }

    /** All but what the report is made of: should the disk be full, writing it again would lose the run. */
    private Set<OutputFormat> forms(Path folder) throws IOException {
        Path json = folder.resolve(RunFile.NAME);
        boolean itself = Files.exists(json) && Files.isSameFile(json, file(runs.get(0)));
        return itself ? EnumSet.complementOf(EnumSet.of(OutputFormat.JSON)) : EnumSet.allOf(OutputFormat.class);
    }

    private int page(List<RunFile> loaded) {
        if (loaded.stream().allMatch(run -> run.experiment() == null)) {
            throw new ParameterException(spec.commandLine(), "none of these runs is a replay");
        }
        String command = "loadclient report --markdown " + markdown + " "
                + runs.stream().map(Path::toString).collect(Collectors.joining(" "));
        String page = MarkdownPage.of(loaded, command);
        try {
            Files.writeString(markdown, page);
        } catch (IOException e) {
            throw OutputFolder.unwritable(spec.commandLine(), markdown, e);
        }
        spec.commandLine().getOut().println(markdown);
        return Main.GOOD;
    }

    private int agree() {
        if (runs.size() != 2 || markdown != null || output != null) {
            throw new ParameterException(spec.commandLine(), "--agree takes two runs, and writes no file");
        }
        Agreement agreement;
        try {
            agreement = Agreement.of(read(spec.commandLine(), runs.get(0)), read(spec.commandLine(), runs.get(1)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        spec.commandLine().getOut().println(agreement.text());
        return agreement.complete() ? Main.GOOD : Main.ERRORS;
    }

    /**
     * The run of a {@code run.json}, or of a folder with one, that the user has named.
     *
     * @throws ParameterException if there is none
     */
    static RunFile read(CommandLine line, Path run) {
        try {
            return RunFile.read(file(run));
        } catch (IOException e) {
            throw new ParameterException(line, e.getMessage(), e);
        }
    }

    private static Path file(Path run) {
        return Files.isDirectory(run) ? run.resolve(RunFile.NAME) : run;
    }
}
