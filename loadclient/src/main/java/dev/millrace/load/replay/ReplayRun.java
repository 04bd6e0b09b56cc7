package dev.millrace.load.replay;

import dev.millrace.load.experiment.Lengths;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.report.ResultLine;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CellRun;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.run.Progress;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.scenario.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Measures the cells of an experiment. A server is started before its first cell, and warmed up by all kinds of work
 * that it is measured under. Each block measures every cell once. Confined to one thread.
 */
final class ReplayRun {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    /** With more clients the JIT compilers' threads get a small share of the cores, and warming up takes far longer. */
    private static final int MOST_WARMING_CLIENTS = 4;

    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long COMPILERS_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Least drain for all work but downloads: a busy server must get time for its last answers. */
    private static final double LEAST_DRAIN_SECONDS = 5;

    private static final double MILLIS = 1000;

    private final ReplayPlan plan;
    private final ReplayServers servers;
    private final ReplayFiles files;
    private final Interruption interruption;
    private final PrintWriter err;
    private final Progress.Style progress;
    private final QuietWindows quiet;
    private final RestedWindows rested;
    private final Rounds rounds;
    private final List<CellResult> results = new ArrayList<>();
    private @Nullable Exception failure;
    private int cellsDone;

    /**
     * A run.
     *
     * @param maxStealPercent share of a window that the machine's host may take before it is measured again
     * @param rounds          the rounds that follow each other
     */
    ReplayRun(
            ReplayPlan plan,
            ReplayServers servers,
            ReplayFiles files,
            Interruption interruption,
            PrintWriter err,
            Progress.Style progress,
            double maxStealPercent,
            Rounds rounds) {
        this.rounds = rounds;
        this.plan = plan;
        this.servers = servers;
        this.files = files;
        this.interruption = interruption;
        this.err = err;
        this.progress = progress;
        this.quiet = new QuietWindows(maxStealPercent, nanos -> rest(Duration.ofNanos(nanos)), err);
        this.rested = new RestedWindows(err);
    }

    /** The windows that the machine's host disturbed, or the server's compilers, for the report. */
    String disturbances() {
        return quiet + ". " + rested;
    }

    /** Measures all blocks. It ends early on an interruption, or when something fails after the first result. */
    List<CellResult> run() throws IOException, InterruptedException {
        try {
            blocks(plan.lengths());
        } catch (IOException | RuntimeException e) {
            if (results.isEmpty()) {
                throw e;
            }
            // Ctrl-C ends the servers of the same terminal too.
            failure = interruption.requested() ? null : e;
        }
        return results;
    }

    /** The failure that ended the run before all cells were measured; null if there was none. */
    @Nullable Exception failure() {
        return failure;
    }

    private void blocks(Lengths lengths) throws IOException, InterruptedException {
        Predicate<Row> wanted = row -> true;
        boolean once = lengths.starts() == 1;
        for (int start = 0; wanted != null; start++) {
            if (lengths.rehearsal() > 0) {
                block(-1 - start, lengths.scaled(lengths.rehearsal()), true, wanted);
            }
            for (int repeat = 0; wanted != null && (once || repeat < lengths.repeats()); repeat++) {
                block(start * lengths.repeats() + repeat, lengths, false, wanted);
                wanted = once ? next(repeat + 1) : wanted;
            }
            servers.stopAll();
            wanted = once ? null : next(start + 1);
        }
    }

    private @Nullable Predicate<Row> next(int done) {
        return interruption.requested() ? null : rounds.next(done, results);
    }

    private void block(int block, Lengths lengths, boolean rehearsal, Predicate<Row> wanted)
            throws IOException, InterruptedException {
        for (Row row : plan.block(block)) {
            if (wanted.test(row)
                    && !interruption.requested()
                    && !servers.skipped().containsKey(row.server())) {
                measure(row, block, lengths, rehearsal);
            }
        }
    }

    private void measure(Row row, int block, Lengths lengths, boolean rehearsal)
            throws IOException, InterruptedException {
        boolean cold = servers.isCold(row.server());
        interruption.onRequest(servers::close);
        ReplayServers.Running server = servers.start(row.server());
        if (server == null) {
            err.println("note: " + row.server() + " is left out: "
                    + servers.skipped().get(row.server()));
            return;
        }
        if (cold) {
            // A negative number marks its errors as those of no repetition, as with a rehearsal.
            warmUp(row.server(), server, rehearsal ? block : -1 - block);
        }
        String name = rehearsal
                ? "rehearsal"
                : String.format(
                        Locale.ROOT, "%d/%d", ++cellsDone, Math.max(cellsDone, plan.cells() * lengths.blocks()));
        QuietWindows.Window window = () -> run(
                row, server, row.clients(), seconds(lengths.settle(row)), seconds(lengths.window(row)), block, name);
        CellResult result =
                rehearsal ? window.measure() : quiet.measure(() -> rested.measure(server.cpu()::compilerNanos, window));
        if (!rehearsal || result.errorCount() > 0) {
            results.add(result);
            err.println(ResultLine.of(result, 1));
        }
        if (result.errorCount() > 0 && !interruption.requested()) {
            err.println("errors: " + ResultLine.errors(result));
        }
    }

    private void warmUp(String name, ReplayServers.Running server, int block) throws IOException, InterruptedException {
        ProcessCpu cpu = server.cpu();
        double length = plan.lengths().warmup() / WarmUp.ROUNDS;
        boolean isWarm = new WarmUp(cpu::compilerNanos, System::nanoTime, () -> !interruption.requested()).run(() -> {
            warmingRound(name, server, block, length);
            awaitCompilers(cpu, seconds(length));
        });
        if (!isWarm) {
            err.println("note: " + name + " still compiles after its warm-up");
        }
    }

    /** Puts each kind of load on a server, and keeps what went wrong. */
    private void warmingRound(String name, ReplayServers.Running server, int block, double length)
            throws IOException, InterruptedException {
        List<Row> kinds = plan.kinds(name);
        for (Row kind : kinds) {
            CellResult result = run(
                    kind,
                    server,
                    Math.min(MOST_WARMING_CLIENTS, kind.clients()),
                    Duration.ZERO,
                    seconds(length / kinds.size()),
                    block,
                    "warm-up");
            if (result.errorCount() > 0) {
                results.add(result);
            }
        }
    }

    /** Rests. Returns false if the user asked for the end. */
    private boolean rest(Duration rest) {
        for (long left = rest.toNanos(); left > 0 && !interruption.requested(); left -= STEP_NANOS) {
            LockSupport.parkNanos(Math.min(left, STEP_NANOS));
        }
        return !interruption.requested();
    }

    /** Waits until the server's compilers rest, but not longer than a bound. */
    private void awaitCompilers(ProcessCpu server, Duration most) {
        long before = server.compilerNanos();
        for (long left = most.toNanos(); left > 0 && rest(Duration.ofNanos(STEP_NANOS)); left -= STEP_NANOS) {
            long now = server.compilerNanos();
            if (now - before <= COMPILERS_REST_NANOS) {
                return;
            }
            before = now;
        }
    }

    private CellResult run(
            Row row,
            ReplayServers.Running server,
            int clients,
            Duration warmup,
            Duration window,
            int block,
            String name)
            throws IOException, InterruptedException {
        long limit = row.limit() == null ? 0 : Long.parseLong(row.limit());
        Workload work = RowWorkloads.of(row, server.target(), files);
        Cell cell = new Cell(row.server(), clients, 0, limit, work);
        double drain = work.countsBytes()
                ? plan.lengths().drain()
                : Math.max(LEAST_DRAIN_SECONDS, plan.lengths().drain());
        RunSettings settings =
                RunSettings.of(RunSettings.Warmup.of(warmup), window, TIMEOUT, seconds(drain), plan.seed() + block);
        try (Progress shown = new Progress(err, name + " " + row.server() + " " + row.text(), progress)) {
            CellRun run = new CellRun(cell, settings, server.cpu(), shown);
            interruption.onRequestEnd(run::stop);
            // The report finds a row's results by the row's parameters, not by those of the workload.
            return run.run(block).withParameters(row.parameters());
        }
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * MILLIS));
    }
}
