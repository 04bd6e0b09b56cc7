package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.host.Environment;
import dev.millrace.load.host.ServerCpu;
import dev.millrace.load.http.Connections;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsClient;
import dev.millrace.load.report.MergedRun;
import dev.millrace.load.report.Outcomes;
import dev.millrace.load.report.ReportFolder;
import dev.millrace.load.report.ResultLine;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CellRun;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.run.Progress;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.run.Together;
import dev.millrace.load.scenario.Fetch;
import dev.millrace.load.scenario.ServerClock;
import dev.millrace.load.server.ReportedCpu;
import dev.millrace.load.server.Servers;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * Runs a plan: progress on standard error, a line per cell on standard output, the report at the end. Confined to one
 * thread.
 */
final class Session {

    private static final int PROBE_MILLIS = 10_000;
    /** A server that takes longer tells nothing of its clock, and the load would begin too late. */
    private static final int CLOCK_MILLIS = 1000;

    private final Interruption interruption;
    private final PrintWriter out;
    private final PrintWriter err;
    private final RunOptions options;
    private final OutputOptions output;
    private final List<CellResult> results = new ArrayList<>();
    /** Reasons that make cells invalid even if all errors are forgiven. */
    private final Map<CellResult, String> flaws = new LinkedHashMap<>();

    Session(Interruption interruption, CommandLine line, RunOptions options, OutputOptions output) {
        this.interruption = interruption;
        this.out = line.getOut();
        this.err = line.getErr();
        this.options = options;
        this.output = output;
    }

    /**
     * Runs all cells and returns the exit code.
     *
     * @throws Exception the failure that ended the run; earlier results are reported before
     */
    int run(Plan plan) throws Exception {
        if (options.dryRun()) {
            plan.announcement(groups(plan.cells()).size()).forEach(out::println);
            return ExitCode.GOOD;
        }
        Preflight.Findings findings = Preflight.of(plan, options.deciding().together());
        findings.notes().forEach(this::note);
        if (!findings.refusals().isEmpty()) {
            err.println("loadclient: " + findings.refusals().get(0));
            return ExitCode.INVALID;
        }
        Map<String, String> environment = new LinkedHashMap<>(Environment.read());
        String started = RunFile.now();
        Exception failure = null;
        String ended = null;
        try (Servers servers = plan.servers()) {
            interruption.beforeExit(servers::close);
            measure(plan, environment);
        } catch (IOException | RuntimeException e) {
            if (results.isEmpty()) {
                throw e;
            }
            // Ctrl-C ends the servers that this program started too.
            failure = interruption.requested() ? null : e;
            ended = failure == null ? "stopped early" : Failure.firstLine(e);
        }
        IOException unwritten = null;
        try {
            report(plan, started, environment, ended);
        } catch (IOException e) {
            // The other files and the verdicts may be all that is left of the run.
            unwritten = e;
            err.println("loadclient: " + Failure.firstLine(e));
        }
        int code = conclude(plan, started, failure, ended);
        return unwritten != null && code == ExitCode.GOOD ? ExitCode.ERRORS : code;
    }

    /** Writes the files for build servers, prints the verdicts, and returns the exit code. */
    private int conclude(Plan plan, String started, @Nullable Exception failure, @Nullable String ended)
            throws Exception {
        long errors = results.stream().mapToLong(CellResult::errorCount).sum();
        boolean forgiven = errors > 0 && errors <= options.maxErrors();
        Outcomes outcomes = failure == null && options.deciding().goesOn()
                ? options.deciding().outcomes(results, control(plan))
                : new Outcomes(List.of());
        String flaw = forgiven ? flaw(outcomes) : null;
        String reason = ended != null ? ended : flaw;
        boolean worse = failure == null && isWorse(plan, outcomes);
        output.buildFiles().write(plan.title(), started, results, options.gates(), forgiven, reason, outcomes);
        if (failure != null) {
            throw failure;
        }
        List<String> failures = BuildFiles.failures(results, options.gates(), outcomes);
        failures.forEach(text -> err.println("loadclient: " + text));
        int code = forgiven ? forgiven(flaw) : ExitCode.of(outcomes.counted(results));
        return worse || (!failures.isEmpty() && code == ExitCode.GOOD) ? ExitCode.ERRORS : code;
    }

    /** The first reason that counts although errors are forgiven; null if there is none. */
    private @Nullable String flaw(Outcomes outcomes) {
        List<CellResult> counted = outcomes.counted(List.copyOf(flaws.keySet()));
        return counted.isEmpty() ? null : flaws.get(counted.get(0));
    }

    private static String control(Plan plan) {
        return plan.servers().entries().get(0).label();
    }

    /** Prints the verdicts in one last line, if servers were compared. */
    private boolean isWorse(Plan plan, Outcomes outcomes) {
        if (!options.deciding().goesOn()) {
            return false;
        }
        out.println(outcomes.summary());
        options.deciding().write(results, plan.servers().entries());
        return outcomes.has(Outcomes.Outcome.WORSE);
    }

    private void report(Plan plan, String started, Map<String, String> environment, @Nullable String ended)
            throws IOException {
        if (plan.schedule().repeat() > 1) {
            ResultLine.all(results, nameWidth(plan)).forEach(out::println);
        }
        Path folder = output.folder();
        if (folder != null) {
            Map<String, String> facts = new LinkedHashMap<>(plan.facts());
            if (ended != null) {
                facts.put(RunFile.ENDED_EARLY, ended);
            }
            RunFile run = RunFile.of(
                    plan.title(),
                    started,
                    Target.withoutPasswords(Environment.commandLine()),
                    environment,
                    facts,
                    results);
            Path page = ReportFolder.write(run, folder, output.formats());
            if (!output.quiet()) {
                err.println("report: " + page);
            }
        }
    }

    private int forgiven(@Nullable String flaw) {
        if (flaw == null) {
            return ExitCode.GOOD;
        }
        err.println("loadclient: --max-errors forgives errors, not this: " + flaw);
        return ExitCode.INVALID;
    }

    private void measure(Plan plan, Map<String, String> environment) throws IOException, InterruptedException {
        int repeat = plan.schedule().repeat();
        long start = System.nanoTime();
        for (int block = 0; block < repeat && !interruption.requested(); block++) {
            List<Cell> cells = cellsOf(plan, block, start);
            if (cells.isEmpty()) {
                return;
            }
            interruption.onRequest(plan.servers()::close);
            plan.servers().startBlock();
            if (block == 0) {
                probe(plan);
                plan.servers().describe(environment);
                start += awaitStart(plan, environment);
            }
            for (List<Cell> group : groups(plan.schedule().block(block, cells))) {
                if (interruption.requested()) {
                    return;
                }
                if (!results.isEmpty()) {
                    options.coolDown().rest(interruption);
                }
                List<CellResult> measured = measure(plan, group, block);
                results.addAll(measured);
                measured.forEach(result -> show(result, plan));
            }
        }
    }

    /** The cells that are measured at the same time. */
    private List<List<Cell>> groups(List<Cell> cells) {
        return options.deciding().together()
                ? List.copyOf(cells.stream()
                        .collect(Collectors.groupingBy(Cell::parameters, LinkedHashMap::new, Collectors.toList()))
                        .values())
                : cells.stream().map(List::of).toList();
    }

    /** Waits for --start-at. Returns the nanoseconds that it took, which are none of the budget's. */
    private long awaitStart(Plan plan, Map<String, String> environment) {
        long before = System.nanoTime();
        Optional<StartTime> start = options.start();
        if (start.isPresent()) {
            note("the load begins at " + start.get().moment());
            environment.put(
                    MergedRun.SERVER_CLOCK, start.get().isFar() ? clock(plan, start.get()) : "not asked for, too late");
            long lateMillis = start.get().await(interruption).toMillis();
            environment.put("start", start.get().moment() + ", noticed after " + lateMillis + " ms");
        }
        return System.nanoTime() - before;
    }

    /** The distance of the clocks, by which report --merge lays windows of several machines side by side. */
    private String clock(Plan plan, StartTime start) {
        RunSettings settings = plan.settings();
        Fetch fetch =
                new Fetch(CLOCK_MILLIS, settings.tls(), plan.cells().get(0).protocol());
        Target server = plan.servers().entries().get(0).target();
        try {
            ServerClock clock = ServerClock.read(server, fetch, () -> start.isFar() && !interruption.requested());
            return clock == null
                    ? "not known: no Date, or several clocks"
                    : clock.lowMillis() + " to " + clock.highMillis() + " ms";
        } catch (IOException e) {
            // The server may answer what is measured, and not a plain GET.
            return "not known: " + Failure.firstLine(e);
        }
    }

    /** The cells of a block; none if all questions are decided, or the time is spent. */
    private List<Cell> cellsOf(Plan plan, int block, long startNanos) {
        Deciding deciding = options.deciding();
        if (!deciding.goesOn()) {
            return plan.cells();
        }
        return deciding.hasTime(startNanos, block)
                ? deciding.undecided(plan.cells(), results, control(plan), block)
                : List.of();
    }

    /** Measures cells at the same time. Progress is that of the first one. */
    private List<CellResult> measure(Plan plan, List<Cell> group, int block) throws InterruptedException {
        String number = (results.size() + 1)
                + (options.deciding().goesOn()
                        ? ""
                        : "/" + plan.cells().size() * plan.schedule().repeat());
        ServerCpu first = plan.servers().cpu(group.get(0).label());
        try (Progress progress = new Progress(err, number, output.progress(), first);
                Progress none = new Progress(err, number, Progress.Style.NONE)) {
            List<CellRun> runs = new ArrayList<>();
            for (Cell cell : group) {
                ServerCpu server = plan.servers().cpu(cell.label());
                runs.add(new CellRun(cell, plan.settings(), server, runs.isEmpty() ? progress : none));
            }
            Together together = new Together(runs);
            interruption.onRequestEnd(together::stop);
            List<CellResult> measured = together.run(block);
            for (int i = 0; i < measured.size(); i++) {
                String flaw = runs.get(i).flaw();
                if (flaw != null) {
                    flaws.put(measured.get(i), ResultLine.name(measured.get(i)) + ": " + flaw);
                }
            }
            return measured;
        }
    }

    private void show(CellResult result, Plan plan) {
        // With repetitions, standard output gets one line per cell with intervals, at the end.
        boolean isProgress = plan.schedule().repeat() > 1;
        PrintWriter lines = isProgress ? err : out;
        boolean isGood = result.valid() && result.errorCount() == 0;
        if (!isProgress || !isGood || !output.quiet() || output.latency()) {
            lines.println(ResultLine.of(result, nameWidth(plan)));
        }
        if (output.latency()) {
            lines.println(ResultLine.percentiles(result));
        }
        if (result.errorCount() > 0 && !(interruption.requested() && options.startsServers())) {
            err.println("errors: " + ResultLine.errors(result));
        }
        result.notes().forEach(this::note);
    }

    private void note(String text) {
        if (!output.quiet()) {
            err.println("note: " + text);
        }
    }

    private static int nameWidth(Plan plan) {
        return plan.cells().stream()
                .mapToInt(
                        cell -> ResultLine.name(cell.label(), cell.parameters()).length())
                .max()
                .orElse(1);
    }

    /** Connects once, so that a server that is missing, or whose certificate does not fit, is one error. */
    static void probe(Target target, Protocol protocol, RunSettings settings) throws IOException {
        InetSocketAddress address = target.address();
        SocketSettings sockets = SocketSettings.to(target, settings.tls(), protocol, null, 0, PROBE_MILLIS);
        try {
            Connections.open(address, sockets, new byte[1], socket -> {}).close();
        } catch (IOException e) {
            throw new IOException(
                    "cannot connect to " + address.getHostString() + ":" + address.getPort() + ": "
                            + TlsClient.reason(e),
                    e);
        }
    }

    /** CPU time that is not known, or that of several servers together, cannot be compared. */
    private static void requireCpuOfEach(Servers servers) {
        List<String> labels =
                servers.entries().stream().map(Servers.Entry::label).toList();
        long known = labels.stream()
                .map(servers::cpu)
                .filter(Objects::nonNull)
                .distinct()
                .count();
        require(
                known == labels.size(),
                "--together compares the servers' CPU time: each must be a process of its own on this machine "
                        + "(--server-pid), or tell it (--server-cpu-url)");
    }

    /** Connects to each server once, so that a missing one is one error instead of thousands of refused connects. */
    private void probe(Plan plan) throws IOException {
        for (Servers.Entry entry : plan.servers().entries()) {
            List<Protocol> protocols = plan.cells().stream()
                    .filter(cell -> cell.label().equals(entry.label()))
                    .map(Cell::protocol)
                    .distinct()
                    .toList();
            for (Protocol protocol : protocols) {
                probe(entry.target(), protocol, plan.settings());
            }
            String wrong = plan.servers().wrongProcess(entry);
            if (wrong != null) {
                throw new UsageException("--server-pid: " + wrong);
            }
            if (plan.servers().isUnchecked(entry)) {
                note("which process listens for " + entry.target().uri() + " is not known: that of --server-pid, "
                        + entry.pid() + ", is taken unchecked");
            }
            ServerCpu cpu = plan.servers().cpu(entry.label());
            if (cpu instanceof ReportedCpu reported) {
                reported.read();
            } else if (cpu == null) {
                note("the process of " + entry.target().uri()
                        + " is not known, so there are no figures of its CPU time (--server-pid, --server-cpu-url)");
            }
        }
        if (options.deciding().together()) {
            requireCpuOfEach(plan.servers());
        }
    }
}
