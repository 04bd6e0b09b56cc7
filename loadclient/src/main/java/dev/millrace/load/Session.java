package dev.millrace.load;

import dev.millrace.load.host.Environment;
import dev.millrace.load.report.ResultLine;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CellRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** Runs a plan: progress on standard error, a line per cell on standard output, the report at the end. One thread. */
final class Session {

    private static final int NAME_WIDTH = 34;
    private static final int PROBE_MILLIS = 10_000;

    private final Interruption interruption;
    private final PrintWriter out;
    private final PrintWriter err;

    Session(Interruption interruption, CommandLine line) {
        this.interruption = interruption;
        this.out = line.getOut();
        this.err = line.getErr();
    }

    /** Runs all cells; returns the exit code. */
    int run(Plan plan) throws IOException, InterruptedException {
        probe(plan.cells().get(0));
        Map<String, String> environment = environment(plan);
        String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        List<CellResult> results = new ArrayList<>();
        if (plan.server() == null) {
            err.println("the server's process is not known: no CPU figures (--server-pid)");
        }
        for (Cell cell : plan.cells()) {
            if (interruption.requested()) {
                break;
            }
            CellResult result = cell(plan, cell, results.size() + 1);
            results.add(result);
            out.println(ResultLine.of(result, NAME_WIDTH));
            if (result.errorCount() > 0) {
                err.println("errors: " + ResultLine.errors(result));
            }
        }
        if (plan.output() != null) {
            RunFile run = new RunFile(RunFile.SCHEMA_VERSION, plan.title(), started, commandLine(), environment,
                    plan.facts(), results);
            err.println("report: " + run.write(plan.output()));
        }
        return exitCode(results);
    }

    private CellResult cell(Plan plan, Cell cell, int number) throws InterruptedException {
        try (Progress progress = new Progress(err, number + "/" + plan.cells().size())) {
            CellRun run = new CellRun(cell, plan.settings(), plan.server(), progress);
            interruption.onRequest(run::stop);
            return run.run("", 0);
        }
    }

    /** A server that is not there is an error of one line, not of thousands of refused connections. */
    private static void probe(Cell cell) throws IOException {
        InetSocketAddress address = cell.workload().target().address();
        try (Socket socket = new Socket()) {
            socket.connect(address, PROBE_MILLIS);
        } catch (IOException e) {
            throw new IOException("cannot connect to " + address.getHostString() + ":" + address.getPort() + ": "
                    + e.getMessage(), e);
        }
    }

    static int exitCode(List<CellResult> results) {
        if (results.stream().anyMatch(result -> result.errorCount() > 0 && result.valid())) {
            return Main.ERRORS;
        }
        return results.stream().allMatch(CellResult::valid) ? Main.GOOD : Main.INVALID;
    }

    private static Map<String, String> environment(Plan plan) {
        Map<String, String> environment = new LinkedHashMap<>(Environment.read());
        if (plan.server() != null) {
            String command = Environment.commandLine(plan.server().pid());
            environment.put("server process", plan.server().pid() + (command == null ? "" : " " + command));
        }
        return environment;
    }

    /** This process's own command line, as far as the system tells it. */
    static String commandLine() {
        String command = Environment.commandLine(ProcessHandle.current().pid());
        return command == null ? "" : command;
    }
}
