package dev.millrace.load;

import dev.millrace.load.classics.Experiment;
import dev.millrace.load.classics.Lengths;
import dev.millrace.load.classics.ServerSetting;
import dev.millrace.load.host.Environment;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.report.Table;
import dev.millrace.load.report.ThenAndNow;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loadclient replay EXPERIMENT}: the classic experiments on today's code. */
@Command(name = "replay", mixinStandardHelpOptions = true,
        description = "Repeats published experiments on the sample application: figures of then beside those of "
                + "today, and what became of each claim.",
        footer = {"", "Examples:",
            "  loadclient replay --quick cowtown minar mina undertow bhargava",
            "  loadclient replay --full --peers -o docs/results minar",
            "  loadclient replay --dry-run --full mina"})
final class ReplayCommand implements Callable<Integer> {

    private static final String ALL_PEERS = "all";
    private static final int MOST_SCALE = 1000;
    private static final double MOST_STEAL_PERCENT = 10;

    private final Interruption interruption;

    @Spec
    private CommandSpec spec;

    @ArgGroup
    private Form form = new Form();

    /** Which of the two forms. */
    static final class Form {
        @Option(names = "--quick", description = "Rows that claims need, short cells, servers started once (the default).")
        private boolean quick;

        @Option(names = "--full", description = "All rows, longer, on servers started anew several times.")
        private boolean full;
    }

    @Option(names = "--war", paramLabel = "FILE",
            description = "The sample application (default: millrace.war beside this program, or in webapp/target).")
    private Path war;

    @Option(names = "--server-cmd", paramLabel = "COMMAND",
            description = "Starts the sample application instead of --war; its options are added.")
    private String command;

    @Option(names = "--java", paramLabel = "FILE",
            description = "The Java, or its home, that runs the servers (default: the one that runs this).")
    private Path java;

    @Option(names = "--peers", arity = "0..1", split = ",", fallbackValue = ALL_PEERS, paramLabel = "NAME",
            description = "Measures other servers in the same run: jetty, tomcat, undertow, helidon, nginx; all of "
                    + "them without a list.")
    private List<String> peers = List.of();

    @Option(names = "--servers", split = ",", paramLabel = "NAME",
            description = "Measures these servers of the experiment alone (default: all).")
    private List<String> servers = List.of();

    @Option(names = "--peers-jar", paramLabel = "FILE",
            description = "What starts the peers but nginx (default: millrace-peers.jar in peers/target).")
    private Path peersJar;

    @Option(names = "--repeat", defaultValue = "0", paramLabel = "N",
            description = "With --full: how often the servers are started anew, each time for all blocks of a start; an "
                    + "interval has one value per start. Without: blocks on servers started once, one value per block "
                    + "(default: the experiment's).")
    private int repeat;

    @Option(names = "--scale", defaultValue = "1", paramLabel = "FACTOR",
            description = "Multiplies all times but the drain: below 1 for a look, above for narrower intervals "
                    + "(default: ${DEFAULT-VALUE}).")
    private double scale;

    @Option(names = "--max-steal", paramLabel = "PERCENT", converter = Percent.class,
            description = "A window of which the machine's host took more is measured again, four times at most, and the "
                    + "least disturbed counts (default: 10 with --full, 100 with --quick).")
    private Double maxSteal;

    @Option(names = "--seed", defaultValue = "42", paramLabel = "N",
            description = "Of the order of cells and files (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = {"-o", "--output"}, defaultValue = "replay-report", paramLabel = "DIR",
            description = "Folder that gets a folder for each experiment, with run.json, report.html and the servers' "
                    + "output (default: ${DEFAULT-VALUE}).")
    private Path output;

    @Option(names = "--progress", defaultValue = "auto", paramLabel = "auto|bar|plain|none",
            description = "Progress on standard error (default: ${DEFAULT-VALUE}).")
    private Progress.Style progress;

    @Option(names = "--dry-run", description = "Prints the plan and how long it takes, and stops.")
    private boolean dryRun;

    @Parameters(arity = "0..*", paramLabel = "EXPERIMENT",
            description = "cowtown (UUID service over XML), minar (file transfer algorithms), mina (write strategies), "
                    + "undertow (file cache), bhargava (threads against selectors).")
    private List<String> named = List.of();

    ReplayCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() throws Exception {
        List<String> taken = takenForPeers();
        List<String> names = Stream.concat(taken.stream(), named.stream()).distinct().toList();
        require(!names.isEmpty() && Experiment.NAMES.containsAll(names), "EXPERIMENT is one of "
                + String.join(", ", Experiment.NAMES));
        require(war == null || command == null, "--war and --server-cmd exclude each other");
        require(repeat >= 0, "--repeat must not be negative");
        require(scale > 0 && scale < MOST_SCALE, "--scale must be above 0 and below " + MOST_SCALE);
        List<String> listed = peers.stream().filter(peer -> !taken.contains(peer)).toList();
        boolean all = listed.contains(ALL_PEERS) || listed.isEmpty() && !peers.isEmpty();
        List<String> wanted = all ? ServerPrograms.PEERS : listed;
        require(ServerPrograms.PEERS.containsAll(wanted), "--peers takes " + String.join(", ", ServerPrograms.PEERS));
        ServerPrograms programs = programs();
        int code = Main.GOOD;
        for (String name : names) {
            if (!interruption.requested()) {
                code = Math.max(code, replay(Experiment.of(name), programs, wanted));
            }
        }
        return code;
    }

    private ServerPrograms programs() throws InterruptedException {
        try {
            ServerJava runtime = java == null ? ServerJava.current() : ServerJava.of(java);
            return ServerPrograms.find(runtime, war, command, peersJar);
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), Units.oneLine(e), e);
        }
    }

    private void require(boolean condition, String message) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    private int replay(Experiment whole, ServerPrograms programs, List<String> wanted) throws Exception {
        Experiment experiment = whole.expanded(!form.full, peerSettings(whole, wanted));
        Lengths planned = experiment.lengths(!form.full);
        Lengths lengths = planned.scaled(scale).repeated(repeat > 0 ? repeat
                : planned.starts() > 1 ? planned.starts() : planned.repeats());
        Path folder = output.resolve(experiment.name());
        try (ReplayFiles files = ReplayFiles.write(experiment.files());
             ReplayServers started = new ReplayServers(experiment, programs, servers, files, folder)) {
            ReplayPlan plan = ReplayPlan.of(experiment, lengths, started.skipped().keySet(), seed);
            require(plan.cells() > 0, "--servers takes " + String.join(", ", experiment.servers().keySet()));
            if (!dryRun) {
                OutputFolder.prepare(spec.commandLine(), folder);
            }
            announce(plan, started, wanted);
            if (dryRun) {
                return Main.GOOD;
            }
            interruption.lastly(started::close);
            Map<String, String> environment = new LinkedHashMap<>(Environment.read());
            environment.putAll(programs.facts());
            String begin = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
            Replay replay = new Replay(plan, started, files, interruption, spec.commandLine().getErr(), progress,
                    maxSteal != null ? maxSteal : form.full ? MOST_STEAL_PERCENT : 100);
            List<CellResult> results = replay.run();
            Map<String, String> facts = facts(plan, started);
            facts.put("windows", replay.disturbances());
            if (replay.failure() != null) {
                facts.put(Session.ENDED_EARLY, Units.oneLine(replay.failure()));
            }
            int code = report(new RunFile(RunFile.SCHEMA_VERSION, experiment.title(), begin, words(), environment, facts,
                    results, experiment.ran(!form.full, lengths)), folder);
            if (replay.failure() != null) {
                throw replay.failure();
            }
            return code;
        }
    }

    /**
     * Experiments that follow {@code --peers}: an option with an optional value takes the word after it. What stands behind
     * {@code --peers=} is a peer, though one has the name of an experiment.
     */
    private List<String> takenForPeers() {
        boolean listed = spec.commandLine().getParseResult().originalArgs().stream().anyMatch(word -> word.startsWith("--peers="));
        return listed ? List.of() : peers.stream().filter(Experiment.NAMES::contains).toList();
    }

    /** The peers that can do what the experiment asks for: UUIDs are made by a servlet. */
    private static Map<String, ServerSetting> peerSettings(Experiment experiment, List<String> wanted) {
        boolean uuids = experiment.added().stream().anyMatch(added -> added.work().startsWith("uuid"));
        Map<String, ServerSetting> settings = new LinkedHashMap<>();
        wanted.stream().filter(name -> !uuids || ServerPrograms.SERVLET_PEERS.contains(name))
                .forEach(name -> settings.put(name,
                        new ServerSetting(name + ", another server", name, List.of(), 0, true, true)));
        return settings;
    }

    private void announce(ReplayPlan plan, ReplayServers servers, List<String> wanted) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(plan.experiment().title());
        plan.experiment().scaled().forEach(line -> out.println("- " + line));
        servers.skipped().forEach((name, why) -> out.println("- left out: " + name + " (" + why + ")"));
        wanted.stream().filter(name -> !plan.experiment().servers().containsKey(name))
                .forEach(name -> out.println("- left out: " + name + " (it cannot do this work)"));
        out.printf(Locale.ROOT, "plan: %s, %d cells on %d servers, %d times, about %d s%n%n",
                form.full ? "full" : "quick", plan.cells(), plan.servers(), plan.lengths().blocks(),
                plan.duration().toSeconds());
        out.flush();
    }

    private Map<String, String> facts(ReplayPlan plan, ReplayServers servers) {
        Lengths lengths = plan.lengths();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(RunFile.FORM, form.full ? RunFile.FULL : "quick");
        facts.put("repetitions", lengths.blocks() + (lengths.starts() == 1
                ? " on servers started once: the intervals do not hold the luck of a start"
                : ", servers started anew for each " + (lengths.repeats() > 1 ? lengths.repeats() : "one")));
        facts.put("rehearsal", lengths.rehearsal() > 0 ? "a block before, thrown away" : "none");
        facts.put("warm-up of a server", seconds(lengths.warmup()));
        facts.put("load before a window", seconds(lengths.settle()));
        facts.put("window", seconds(lengths.window()));
        facts.put("order", "conditions at random, servers in turns, seed " + seed);
        servers.skipped().forEach((name, why) -> facts.put("left out: " + name, why));
        return facts;
    }

    private static String seconds(double length) {
        return String.format(Locale.ROOT, "%.2f s", length);
    }

    private int report(RunFile run, Path folder) throws IOException {
        Path page = run.write(folder);
        PrintWriter out = spec.commandLine().getOut();
        for (Table table : ThenAndNow.of(run)) {
            out.println(table.text());
        }
        out.println("report: " + page);
        out.flush();
        return Session.exitCode(run.cells());
    }

    /** The command as given: a process's own command line would show where things lie on this machine. */
    private String words() {
        return "loadclient " + String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    }
}
