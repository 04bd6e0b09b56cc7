package dev.millrace.load;

import dev.millrace.load.host.Environment;
import dev.millrace.load.host.ReportedCpu;
import dev.millrace.load.host.ServerCpu;
import dev.millrace.load.report.Aggregate;
import dev.millrace.load.report.ResultLine;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CellRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** Runs a plan: progress on standard error, a line per cell on standard output, the report at the end. One thread. */
final class Session {

    /** The fact of a run that says what ended it before all was measured. */
    static final String ENDED_EARLY = "ended early";
    private static final int PROBE_MILLIS = 10_000;

    private final Interruption interruption;
    private final PrintWriter out;
    private final PrintWriter err;
    private final RigourOptions options;
    private final List<CellResult> results = new ArrayList<>();
    /** What makes cells invalid whether or not they have errors. */
    private final List<String> flaws = new ArrayList<>();

    Session(Interruption interruption, CommandLine line, RigourOptions options) {
        this.interruption = interruption;
        this.out = line.getOut();
        this.err = line.getErr();
        this.options = options;
    }

    /**
     * Runs all cells; returns the exit code.
     *
     * @throws Exception what ended the run; the results of before are reported then
     */
    int run(Plan plan) throws Exception {
        if (options.dryRun()) {
            dryRun(plan);
            return Main.GOOD;
        }
        Preflight.Findings findings = Preflight.of(plan);
        findings.notes().forEach(note -> err.println("note: " + note));
        if (!findings.refusals().isEmpty()) {
            err.println("loadclient: " + findings.refusals().get(0));
            return Main.INVALID;
        }
        Map<String, String> environment = new LinkedHashMap<>(Environment.read());
        String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        Exception failure = null;
        try (Servers servers = plan.servers()) {
            interruption.lastly(servers::close);
            measure(plan, environment);
        } catch (IOException | RuntimeException e) {
            if (results.isEmpty()) {
                throw e;
            }
            // Ctrl-C ends the servers that were started here as well.
            failure = interruption.requested() ? null : e;
        }
        report(plan, started, environment, failure);
        if (failure != null) {
            throw failure;
        }
        long errors = results.stream().mapToLong(CellResult::errorCount).sum();
        return errors > 0 && errors <= options.maxErrors() ? forgiven() : exitCode(results);
    }

    private void report(Plan plan, String started, Map<String, String> environment, Exception failure)
            throws IOException {
        if (plan.schedule().repeat() > 1) {
            Aggregate.of(results).forEach(cell -> out.println(ResultLine.of(cell, nameWidth(plan))));
        }
        if (options.output() != null) {
            Map<String, String> facts = new LinkedHashMap<>(plan.facts());
            if (failure != null) {
                facts.put(ENDED_EARLY, Units.oneLine(failure));
            }
            RunFile run = RunFile.of(plan.title(), started, commandLine(), environment, facts, results);
            err.println("report: " + run.write(options.output(), options.formats()));
        }
    }

    private int forgiven() {
        if (flaws.isEmpty()) {
            return Main.GOOD;
        }
        err.println("loadclient: --max-errors forgives errors, not this: " + flaws.get(0));
        return Main.INVALID;
    }

    private void measure(Plan plan, Map<String, String> environment) throws IOException, InterruptedException {
        int repeat = plan.schedule().repeat();
        for (int block = 0; block < repeat && !interruption.requested(); block++) {
            plan.servers().startBlock();
            if (block == 0) {
                probe(plan);
                plan.servers().describe(environment);
            }
            for (Cell cell : plan.schedule().block(block, plan.cells())) {
                if (interruption.requested()) {
                    return;
                }
                if (!results.isEmpty()) {
                    options.coolDown().rest(interruption);
                }
                String number = (results.size() + 1) + "/" + plan.cells().size() * repeat;
                CellResult result = cell(plan, cell, block, number);
                results.add(result);
                show(result, plan);
            }
        }
    }

    private CellResult cell(Plan plan, Cell cell, int block, String number) throws InterruptedException {
        try (Progress progress = new Progress(err, number, options.progress())) {
            CellRun run = new CellRun(cell, plan.settings(), plan.servers().cpu(cell.label()), progress);
            interruption.onRequest(run::stop);
            CellResult result = run.run(block);
            if (run.flaw() != null) {
                flaws.add(ResultLine.name(result) + ": " + run.flaw());
            }
            return result;
        }
    }

    private void show(CellResult result, Plan plan) {
        // With repetitions standard output gets one line per cell, with intervals, at the end.
        PrintWriter lines = plan.schedule().repeat() > 1 ? err : out;
        lines.println(ResultLine.of(result, nameWidth(plan)));
        if (options.latency()) {
            lines.println(ResultLine.percentiles(result));
        }
        if (result.errorCount() > 0 && !(interruption.requested() && options.startsServers())) {
            err.println("errors: " + ResultLine.errors(result));
        }
        result.notes().forEach(note -> err.println("note: " + note));
    }

    private static int nameWidth(Plan plan) {
        return plan.cells().stream().mapToInt(cell -> ResultLine.name(cell.label(), cell.parameters()).length())
                .max().orElse(1);
    }

    private void dryRun(Plan plan) {
        plan.cells().forEach(cell -> out.println(ResultLine.name(cell.label(), cell.parameters())));
        Duration each = plan.settings().warmup().total().plus(plan.settings().duration());
        int cells = plan.cells().size() * plan.schedule().repeat();
        out.println(cells + " cells" + (plan.settings().requests() > 0 ? ""
                : ", about " + each.multipliedBy(cells).toSeconds() + " s"));
    }

    /** A server that is not there is an error of one line, not of thousands of refused connections. */
    private void probe(Plan plan) throws IOException {
        for (Servers.Entry entry : plan.servers().entries()) {
            InetSocketAddress address = entry.target().address();
            try (Socket socket = new Socket()) {
                socket.connect(address, PROBE_MILLIS);
            } catch (IOException e) {
                throw new IOException("cannot connect to " + address.getHostString() + ":" + address.getPort() + ": "
                        + e.getMessage(), e);
            }
            ServerCpu cpu = plan.servers().cpu(entry.label());
            if (cpu instanceof ReportedCpu reported) {
                reported.read();
            } else if (cpu == null) {
                err.println("note: the process of " + entry.target().uri()
                        + " is not known, so there are no figures of its CPU time (--server-pid, --server-cpu-url)");
            }
        }
    }

    static int exitCode(List<CellResult> results) {
        if (results.stream().anyMatch(result -> result.errorCount() > 0 && result.valid())) {
            return Main.ERRORS;
        }
        return results.stream().allMatch(CellResult::valid) ? Main.GOOD : Main.INVALID;
    }

    /** This process's own command line, as far as the system tells it. */
    static String commandLine() {
        String command = Environment.commandLine(ProcessHandle.current().pid());
        return command == null ? "" : command;
    }
}
