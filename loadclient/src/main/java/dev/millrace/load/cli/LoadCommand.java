package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.http.Target;
import dev.millrace.load.report.ResultLine;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.server.Servers;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the commands share that put load on servers of the user's choice: their options, and the run. */
abstract class LoadCommand implements Callable<Integer> {

    private final Interruption interruption;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions load;

    @Mixin
    private RunOptions run;

    @Mixin
    private OutputOptions output;

    @Parameters(
            arity = "1..*",
            paramLabel = "URL",
            description = "Where requests go, as in the examples; with several, each cell is measured on one after the "
                    + "other.")
    private List<String> urls;

    LoadCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    /** Checks the values of the shared options that picocli does not check. */
    final void validate() {
        load.validate();
        run.validate(urls.size());
        output.validate();
        requireDifferentFiles();
        require(
                run.limits().require() == null || !load.hasRate(),
                "--require excludes --rate: what bounds throughput then is the clock");
        requireTurns(load.canTakeTurns());
        List<String> words = spec.commandLine().getParseResult().originalArgs();
        if (words.stream().noneMatch(word -> word.toLowerCase(Locale.ROOT).contains("https://"))) {
            TlsOptions.NAMES.stream()
                    .filter(this::given)
                    .forEach(option -> note(option + " has no effect: there is no https URL"));
        }
    }

    /** Refuses --together where clients cannot take turns. */
    final void requireTurns(boolean possible) {
        require(
                possible || !run.deciding().together(),
                "--together excludes --requests, --rate, --limit-rate and --streams above 1: clients take turns");
    }

    /**
     * Measures the cells.
     *
     * @param title    heading of the report
     * @param settings settings of all cells
     * @param servers  servers that are measured
     * @param facts    settings for the report
     * @param cells    cells in the order of the command line
     */
    final int measure(String title, RunSettings settings, Servers servers, Map<String, String> facts, List<Cell> cells)
            throws Exception {
        if (servers.entries().size() > 1) {
            facts.put(RunFile.CONTROL, servers.entries().get(0).label());
        }
        requireDifferent(cells);
        if (run.deciding().goesOn() || run.deciding().together()) {
            requireCommon(cells, servers.entries().get(0).label());
        }
        facts.putAll(run.deciding().facts());
        Plan plan =
                new Plan(Target.withoutPasswords(title), cells, settings, servers, run.schedule(load.seed()), facts);
        return new Session(interruption, spec.commandLine(), run, output).run(plan);
    }

    /**
     * Refuses two cells of one name. They would count as repetitions with the same number. A comparison pairs each of
     * these with each: its intervals would be too narrow.
     */
    private static void requireDifferent(List<Cell> cells) {
        Set<List<Object>> known = new HashSet<>();
        for (Cell cell : cells) {
            require(
                    known.add(List.of(cell.label(), cell.parameters())),
                    "two cells have the same name: " + ResultLine.name(cell.label(), cell.parameters())
                            + "; --repeat measures cells again");
        }
    }

    /** Refuses to compare servers whose cells have other settings than those of the first one, such as another path. */
    private static void requireCommon(List<Cell> cells, String control) {
        Map<String, Set<Map<String, String>>> settings = new LinkedHashMap<>();
        cells.forEach(cell -> settings.computeIfAbsent(cell.label(), key -> new LinkedHashSet<>())
                .add(cell.parameters()));
        settings.forEach((label, own) -> require(
                own.equals(settings.get(control)),
                label + " has no cell like those of " + control
                        + ", so nothing can be compared: where the paths of URLs differ, "
                        + "--url says what is requested below each"));
    }

    private void requireDifferentFiles() {
        Map<String, Path> files = new LinkedHashMap<>(output.buildFiles().files());
        files.putAll(run.deciding().files());
        OutputFolder.requireDifferent(files, output.folder());
    }

    /** Creates the folders for results before the run, so that none is lost at its end, unless nothing is measured. */
    final void prepareFolder() {
        if (!run.dryRun()) {
            output.prepareFolder();
            run.deciding().files().values().forEach(OutputFolder::prepareFor);
        }
    }

    final Servers servers(List<Target> targets) {
        return run.servers(targets, output.folder(), load.tls());
    }

    /** Whether the user has given an option. */
    final boolean given(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** Shows a line of advice. */
    final void note(String text) {
        if (!output.quiet()) {
            spec.commandLine().getErr().println("note: " + text);
        }
    }

    final Interruption interruption() {
        return interruption;
    }

    final LoadOptions load() {
        return load;
    }

    final RunOptions run() {
        return run;
    }

    final List<String> urls() {
        return urls;
    }
}
