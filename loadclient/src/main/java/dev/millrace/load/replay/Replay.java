package dev.millrace.load.replay;

import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.experiment.Lengths;
import dev.millrace.load.experiment.ServerSetting;
import dev.millrace.load.host.Environment;
import dev.millrace.load.http.Failure;
import dev.millrace.load.report.ExperimentTables;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.run.Progress;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.server.ServerPrograms;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One experiment, planned and then measured. This object owns the experiment's files and servers until {@link
 * #close()}. Confined to one thread, except {@link #stopServers()}.
 */
public final class Replay implements AutoCloseable {

    private static final double MILLIS = 1000;

    private final Settings settings;
    private final ServerPrograms programs;
    private final Experiment experiment;
    private final ReplayFiles files;
    private final ReplayServers servers;
    private final ReplayPlan plan;
    private @Nullable Exception failure;

    /**
     * The settings that all experiments of a command share. Immutable.
     *
     * @param full            whether the long form is run
     * @param repeat          starts of the servers in the long form, blocks in the short one; 0 for the experiment's
     * @param budget          time for further rounds until the claims are decided; null for as many as planned
     * @param scale           factor for all times but the drain
     * @param seed            seed of the order of cells and files
     * @param maxStealPercent share of a window that the machine's host may take before it is measured again
     * @param servers         names of the servers to be measured; empty for all
     * @param peers           names of the other servers to be measured in the same run
     */
    public record Settings(
            boolean full,
            int repeat,
            @Nullable Duration budget,
            double scale,
            long seed,
            double maxStealPercent,
            List<String> servers,
            List<String> peers) {}

    /**
     * Plans an experiment and writes its files.
     *
     * @param folder folder for the servers' output
     */
    public Replay(Experiment whole, Settings settings, ServerPrograms programs, Path folder) throws IOException {
        this.settings = settings;
        this.programs = programs;
        this.experiment = whole.expanded(!settings.full(), peerSettings(whole, settings.peers()));
        Lengths planned = experiment.lengths(!settings.full()).scaled(settings.scale());
        Lengths lengths = settings.repeat() > 0 ? planned.repeated(settings.repeat()) : planned;
        this.files = ReplayFiles.write(experiment.files());
        this.servers = new ReplayServers(experiment, programs, settings.servers(), files, folder);
        this.plan = ReplayPlan.of(experiment, lengths, servers.skipped().keySet(), settings.seed());
    }

    /** The peers that can do the experiment's work: only those with servlets make UUIDs. */
    private static Map<String, ServerSetting> peerSettings(Experiment experiment, List<String> wanted) {
        Map<String, ServerSetting> peers = new LinkedHashMap<>();
        wanted.stream()
                .filter(name -> !experiment.addsUuids() || ServerPrograms.SERVLET_PEERS.contains(name))
                .forEach(name ->
                        peers.put(name, new ServerSetting(name + ", another server", name, List.of(), 0, true, true)));
        return peers;
    }

    /** Whether no cell is left to measure. */
    public boolean isEmpty() {
        return plan.cells() == 0;
    }

    /** Names of all servers of the experiment. */
    public Set<String> serverNames() {
        return experiment.servers().keySet();
    }

    /** The plan for the user, line by line. */
    public List<String> announcement() {
        List<String> lines = new ArrayList<>(List.of(experiment.title()));
        experiment.scaled().forEach(line -> lines.add("- " + line));
        lines.add(
                "- A server is warmed until its JIT compilers rest, and a window in which they work is measured again. "
                        + "Both may take longer than planned.");
        servers.skipped().forEach((name, reason) -> lines.add("- left out: " + name + " (" + reason + ")"));
        settings.peers().stream()
                .filter(name -> !serverNames().contains(name))
                .forEach(name -> lines.add("- left out: " + name + " (it cannot do this work)"));
        lines.add(String.format(
                Locale.ROOT,
                "plan: %s, %d cells on %d servers, %d times, about %s",
                form(),
                plan.cells(),
                plan.servers(),
                plan.lengths().blocks(),
                RunSettings.text(Duration.ofSeconds(plan.duration().toSeconds()))));
        if (plan.lengths().further() > 0 && settings.budget() == null) {
            lines.add("then: " + further());
        }
        return lines;
    }

    /**
     * Measures all cells. It ends early on an interruption, or when something fails after the first result.
     *
     * @param command the command as the user gave it, for the report
     * @throws IOException if something fails before the first result
     */
    public RunFile run(Interruption interruption, PrintWriter err, Progress.Style progress, String command)
            throws IOException, InterruptedException {
        Map<String, String> environment = new LinkedHashMap<>(Environment.read());
        environment.putAll(programs.facts());
        String started = RunFile.now();
        Rounds rounds = new Rounds(
                plan,
                settings.budget(),
                results -> ExperimentTables.undecided(file(started, command, environment, facts(), results)),
                System::nanoTime);
        ReplayRun run =
                new ReplayRun(plan, servers, files, interruption, err, progress, settings.maxStealPercent(), rounds);
        List<CellResult> results = run.run();
        failure = run.failure();
        Map<String, String> facts = facts();
        facts.put("windows", run.disturbances());
        if (failure != null) {
            facts.put(RunFile.ENDED_EARLY, Failure.firstLine(failure));
        }
        return file(started, command, environment, facts, results);
    }

    private RunFile file(
            String started,
            String command,
            Map<String, String> environment,
            Map<String, String> facts,
            List<CellResult> results) {
        return new RunFile(
                RunFile.SCHEMA_VERSION,
                experiment.title(),
                started,
                command,
                environment,
                facts,
                results,
                experiment.ran(!settings.full(), plan.lengths()));
    }

    /** The failure that ended the run before all cells were measured; null if there was none. */
    public @Nullable Exception failure() {
        return failure;
    }

    private String form() {
        return settings.full() ? RunFile.FULL : "quick";
    }

    private Map<String, String> facts() {
        Lengths lengths = plan.lengths();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(RunFile.FORM, form());
        facts.put(
                "repetitions",
                lengths.blocks()
                        + (lengths.starts() == 1
                                ? " on servers started once: the intervals do not hold the luck of a start"
                                : ", servers started anew for each "
                                        + (lengths.repeats() > 1 ? lengths.repeats() : "one")));
        if (plan.lengths().further() > 0 && settings.budget() == null) {
            facts.put("further rounds", further());
        }
        if (settings.budget() != null) {
            facts.put(
                    RunFile.BUDGET,
                    RunSettings.text(settings.budget()) + " for further rounds until the claims are decided");
        }
        facts.put("rehearsal", lengths.rehearsal() > 0 ? "a block before, thrown away" : "none");
        facts.put("warm-up of a server", seconds(lengths.warmup()) + ", longer until the JIT compilers rest");
        facts.put("load before a window", seconds(lengths.settle()));
        facts.put("window", seconds(lengths.window()));
        facts.put("order", "conditions at random, servers in turns, seed " + settings.seed());
        servers.skipped().forEach((name, reason) -> facts.put("left out: " + name, reason));
        return facts;
    }

    private String further() {
        return plan.lengths().further() + " times the cells of claims that are undecided after these";
    }

    private static String seconds(double length) {
        return RunSettings.text(Duration.ofMillis(Math.round(length * MILLIS)));
    }

    /** Ends all servers for good. Any thread may call it, such as a shutdown hook. */
    public void stopServers() {
        servers.close();
    }

    @Override
    public void close() throws IOException {
        stopServers();
        files.close();
    }
}
