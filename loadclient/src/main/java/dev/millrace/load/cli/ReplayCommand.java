package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.http.Failure;
import dev.millrace.load.replay.Replay;
import dev.millrace.load.report.ExperimentTables;
import dev.millrace.load.report.ReportFolder;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.run.Progress;
import dev.millrace.load.server.ServerPrograms;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loadclient replay EXPERIMENT}: the classic experiments on today's code. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description = "Repeats published experiments on the sample application: figures of then beside those of "
                + "today, and what became of each claim.",
        footer = {
            "",
            "Examples:",
            "  loadclient replay --quick cowtown minar mina undertow bhargava",
            "  loadclient replay --full --peers -o docs/results minar",
            "  loadclient replay --full --budget 30m -o docs/results mina",
            "  loadclient replay --dry-run --full mina"
        })
final class ReplayCommand implements Callable<Integer> {

    private static final String ALL_PEERS = "all";
    private static final int MOST_SCALE = 1000;
    private static final int MOST_REPEAT = 10_000;
    private static final double MOST_STEAL_PERCENT = 10;

    private final Interruption interruption;

    @Spec
    private CommandSpec spec;

    @ArgGroup
    private Form form = new Form();

    /** The two forms of an experiment. */
    static final class Form {
        /** Says what holds without {@code --full}. */
        @Option(
                names = "--quick",
                description = "Rows that claims need, short cells, servers started once (the default).")
        private boolean unusedQuick;

        @Option(names = "--full", description = "All rows, longer, on servers started anew several times.")
        private boolean full;
    }

    @Option(
            names = "--war",
            paramLabel = "FILE",
            description = "The sample application (default: millrace.war beside this program, or in webapp/target).")
    private @Nullable Path war;

    @Option(
            names = "--server-cmd",
            paramLabel = "COMMAND",
            description = "Starts the sample application instead of --war; its options are added.")
    private @Nullable String serverCommand;

    @Option(
            names = "--java",
            paramLabel = "FILE",
            description = "The Java, or its home, that runs the servers (default: the one that runs this); with "
                    + "--server-cmd the peers, and its version says which server settings the command can run.")
    private @Nullable Path java;

    @Option(
            names = "--peers",
            arity = "0..1",
            split = ",",
            fallbackValue = ALL_PEERS,
            paramLabel = "NAME",
            description = "Measures other servers in the same run: jetty, tomcat, undertow, helidon, nginx; all of "
                    + "them without a list.")
    private List<String> peers = List.of();

    @Option(
            names = "--servers",
            split = ",",
            paramLabel = "NAME",
            description = "Measures these servers of the experiment alone (default: all).")
    private List<String> servers = List.of();

    @Option(
            names = "--peers-jar",
            paramLabel = "FILE",
            description = "What starts the peers but nginx (default: millrace-peers.jar in peers/target).")
    private @Nullable Path peersJar;

    @Option(
            names = "--repeat",
            defaultValue = "0",
            paramLabel = "N",
            description =
                    "With --full: how often the servers are started anew, each time for all blocks of a start; an "
                            + "interval has one value per start. Without: blocks on servers started once, one value per block "
                            + "(default: the experiment's, and with --full further starts for undecided claims).")
    private int repeat;

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            description = "Goes on after the planned rounds with the cells of undecided claims, until all are decided "
                    + "or this time is spent on an experiment; intervals may then be looked at early, and hold for all "
                    + "claims together.")
    private @Nullable Duration budget;

    @Option(
            names = "--scale",
            defaultValue = "1",
            paramLabel = "FACTOR",
            description = "Multiplies all times but the drain: below 1 for a look, above for narrower intervals "
                    + "(default: ${DEFAULT-VALUE}).")
    private double scale;

    @Option(
            names = "--max-steal",
            paramLabel = "PERCENT",
            description =
                    "A window of which the machine's host took more is measured again, four times at most, and the "
                            + "least disturbed counts (default: 10 with --full, 100 with --quick).")
    private @Nullable String maxSteal;

    @Option(
            names = "--seed",
            defaultValue = "42",
            paramLabel = "N",
            description = "Of the order of cells and files (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "replay-report",
            paramLabel = "DIR",
            description = "Folder that gets a folder for each experiment, with run.json, report.html and the servers' "
                    + "output (default: ${DEFAULT-VALUE}).")
    private Path output;

    @Option(
            names = "--progress",
            defaultValue = "auto",
            paramLabel = "auto|bar|plain|none",
            description = "Progress on standard error (default: ${DEFAULT-VALUE}).")
    private Progress.Style progress;

    @Option(names = "--dry-run", description = "Prints the plan and how long it takes, and stops.")
    private boolean dryRun;

    @Parameters(
            arity = "0..*",
            paramLabel = "EXPERIMENT",
            description = "cowtown (UUID service over XML), minar (file transfer algorithms), mina (write strategies), "
                    + "undertow (file cache), bhargava (threads against selectors).")
    private List<String> named = List.of();

    ReplayCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() throws Exception {
        List<String> taken = takenForPeers();
        List<String> names =
                Stream.concat(taken.stream(), named.stream()).distinct().toList();
        require(
                !names.isEmpty() && Experiment.NAMES.containsAll(names),
                "EXPERIMENT is one of " + String.join(", ", Experiment.NAMES));
        require(war == null || serverCommand == null, "--war and --server-cmd exclude each other");
        require(repeat >= 0 && repeat <= MOST_REPEAT, "--repeat must be 0 to " + MOST_REPEAT);
        require(budget == null || (!budget.isZero() && !budget.isNegative()), "--budget must be above 0");
        require(scale > 0 && scale < MOST_SCALE, "--scale must be above 0 and below " + MOST_SCALE);
        List<String> listed =
                peers.stream().filter(peer -> !taken.contains(peer)).toList();
        boolean all = listed.contains(ALL_PEERS) || (listed.isEmpty() && !peers.isEmpty());
        List<String> wanted = all ? ServerPrograms.PEERS : listed;
        require(ServerPrograms.PEERS.containsAll(wanted), "--peers takes " + String.join(", ", ServerPrograms.PEERS));
        Set<String> known = serverNames(names, wanted);
        require(known.containsAll(servers), "--servers takes " + String.join(", ", known));
        Replay.Settings settings =
                new Replay.Settings(form.full, repeat, budget, scale, seed, maxStealPercent(), servers, wanted);
        ServerPrograms programs = programs();
        requireAll(names, settings, programs);
        int code = ExitCode.GOOD;
        for (String name : names) {
            if (!interruption.requested()) {
                code = ExitCode.ofBoth(code, replay(name, settings, programs));
            }
        }
        return code;
    }

    /** Looks at all experiments before the first is measured, which may take an hour. */
    private void requireAll(List<String> names, Replay.Settings settings, ServerPrograms programs) throws IOException {
        for (String name : names) {
            try (Replay replay = new Replay(Experiment.of(name), settings, programs, output.resolve(name))) {
                require(!replay.isEmpty(), name + ": --servers takes " + String.join(", ", replay.serverNames()));
            }
        }
        if (dryRun) {
            return;
        }
        for (String name : names) {
            Path folder = output.resolve(name);
            // An experiment that is never reached leaves no empty folder.
            OutputFolder.prepare(Files.exists(folder) || !Files.isDirectory(output) ? folder : output);
        }
    }

    /** Names of the servers of these experiments, and of the peers. An experiment need not have each that is asked for. */
    private static Set<String> serverNames(List<String> experiments, List<String> peers) throws IOException {
        Set<String> all = new LinkedHashSet<>();
        for (String experiment : experiments) {
            all.addAll(Experiment.of(experiment).servers().keySet());
        }
        all.addAll(peers);
        return all;
    }

    private double maxStealPercent() {
        if (maxSteal == null) {
            return form.full ? MOST_STEAL_PERCENT : 100;
        }
        double percent = Units.percent("--max-steal", maxSteal);
        require(percent >= 0, "--max-steal must not be negative");
        return percent;
    }

    private ServerPrograms programs() throws InterruptedException {
        try {
            return ServerPrograms.find(java, war, serverCommand, peersJar);
        } catch (IOException e) {
            throw new UsageException(Failure.firstLine(e), e);
        }
    }

    private int replay(String name, Replay.Settings settings, ServerPrograms programs) throws Exception {
        Path folder = output.resolve(name);
        try (Replay replay = new Replay(Experiment.of(name), settings, programs, folder)) {
            if (!dryRun) {
                OutputFolder.prepare(folder);
            }
            PrintWriter out = spec.commandLine().getOut();
            replay.announcement().forEach(out::println);
            out.println();
            out.flush();
            if (dryRun) {
                return ExitCode.GOOD;
            }
            interruption.beforeExit(replay::stopServers);
            RunFile run = replay.run(interruption, spec.commandLine().getErr(), progress, command());
            int code = report(run, folder);
            Exception failure = replay.failure();
            if (failure != null) {
                throw failure;
            }
            return code;
        }
    }

    /**
     * The experiments that the parser took for values of {@code --peers}, because its value is optional and takes the
     * next word. After {@code --peers=} every value is a peer, even one with the name of an experiment.
     */
    private List<String> takenForPeers() {
        boolean listed = spec.commandLine().getParseResult().originalArgs().stream()
                .anyMatch(word -> word.startsWith("--peers="));
        return listed
                ? List.of()
                : peers.stream().filter(Experiment.NAMES::contains).toList();
    }

    private int report(RunFile run, Path folder) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        // What the folder has no room for has been seen at least.
        ExperimentTables.texts(run).forEach(out::println);
        out.flush();
        out.println("report: " + ReportFolder.write(run, folder));
        out.println(ExperimentTables.summary(run));
        out.flush();
        return ExitCode.of(run.cells());
    }

    /** The command as the user gave it. The process's own command line would show folders of this machine. */
    private String command() {
        return "loadclient "
                + String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    }
}
