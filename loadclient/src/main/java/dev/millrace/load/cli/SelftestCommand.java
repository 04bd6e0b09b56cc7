package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.host.TimerSlack;
import dev.millrace.load.http.Target;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CellRun;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.run.Progress;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.scenario.CatalogFile;
import dev.millrace.load.scenario.UuidWorkload;
import dev.millrace.load.server.ServerProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loadclient selftest}: the cost and the precision of the client itself on this machine. */
@Command(
        name = "selftest",
        mixinStandardHelpOptions = true,
        description = "States the client's own CPU time per request, against a server of canned answers, and the "
                + "precision of its clocks.",
        footer = {"", "Example:", "  loadclient selftest -d 3s"})
final class SelftestCommand implements Callable<Integer> {

    private static final List<Integer> CLIENTS = List.of(1, 32);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int SLEEPS = 300;
    private static final long SLEEP_NANOS = 1_000_000;
    private static final int CLOCK_READS = 2_000_000;
    private static final int BLOCK_BYTES = 64 * 1024;
    private static final double NANOS_PER_MICRO = 1e3;

    private final Interruption interruption;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-d", "--duration"},
            defaultValue = "3s",
            paramLabel = "TIME",
            description = "Length of each measurement (default: ${DEFAULT-VALUE}).")
    private Duration duration;

    SelftestCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() throws Exception {
        require(!duration.isZero(), "--duration must be above 0");
        PrintWriter out = spec.commandLine().getOut();
        int code = requests(out);
        lateness(out);
        clock(out);
        CRC32C crc = new CRC32C();
        MessageDigest md5 = CatalogFile.newDigest();
        out.printf(
                Locale.ROOT,
                "checksums: CRC32C %.1f GB/s, MD5 %.2f GB/s per core%n",
                speed(block -> crc.update(block, 0, block.length)),
                speed(md5::update));
        out.println("CPU time of processes: in steps of 10 ms where it comes from /proc");
        return code;
    }

    private int requests(PrintWriter out) throws IOException, InterruptedException {
        Path log = Files.createTempFile("loadclient-canned", ".log");
        try (ServerProcess server = ServerProcess.ofJava(
                List.of("-cp", System.getProperty("java.class.path"), CannedCommand.class.getName()), 1, log)) {
            interruption.onRequest(server::close);
            interruption.beforeExit(server::close);
            Map<String, String> urls = server.awaitListeners();
            Target target = Target.of(Objects.requireNonNull(urls.get("CANNED")));
            boolean good = true;
            for (UuidWorkload.Check check : UuidWorkload.Check.values()) {
                for (int clients : CLIENTS) {
                    CellResult result = measure(target, check, clients, server.pid());
                    good &= result.errorCount() == 0;
                    out.printf(
                            Locale.ROOT,
                            "%-9s %2d clients: client %5s us CPU per request, %,.0f requests/s "
                                    + "(canned server %s us)%n",
                            check == UuidWorkload.Check.NONE ? "counting" : "verifying",
                            clients,
                            micros(result.clientMicrosPerRequest()),
                            result.requestsPerSecond(),
                            micros(result.serverMicrosPerRequest()));
                }
            }
            return good ? ExitCode.GOOD : ExitCode.ERRORS;
        } finally {
            Files.deleteIfExists(log);
        }
    }

    private static String micros(@Nullable Double known) {
        return known == null ? "-" : String.format(Locale.ROOT, "%.2f", known);
    }

    private CellResult measure(Target target, UuidWorkload.Check check, int clients, long pid)
            throws InterruptedException {
        Cell cell = new Cell(
                "",
                clients,
                0,
                0,
                new UuidWorkload(target, new UuidWorkload.Settings("GET", true, "RANDOM", 1, null, List.of(), check)));
        RunSettings settings = RunSettings.of(RunSettings.Warmup.of(duration), duration, TIMEOUT, TIMEOUT, 1);
        Progress none = new Progress(spec.commandLine().getErr(), "", Progress.Style.NONE);
        CellRun run = new CellRun(cell, settings, new ProcessCpu(pid), none);
        interruption.onRequestEnd(run::stop);
        return run.run(0);
    }

    /** Measures how late an idle client of the open model would be on this machine. */
    private static void lateness(PrintWriter out) throws InterruptedException {
        long[] late = new long[SLEEPS];
        boolean[] tight = new boolean[1];
        Thread thread = new Thread(
                () -> {
                    tight[0] = TimerSlack.tighten();
                    for (int i = 0; i < SLEEPS; i++) {
                        long due = System.nanoTime() + SLEEP_NANOS;
                        LockSupport.parkNanos(SLEEP_NANOS);
                        late[i] = Math.max(0, System.nanoTime() - due);
                    }
                },
                "timer");
        thread.start();
        thread.join();
        Arrays.sort(late);
        out.printf(
                Locale.ROOT,
                "timers: late by p50 %.0f us, p99 %.0f us (timer slack %s)%n",
                late[SLEEPS / 2] / NANOS_PER_MICRO,
                late[SLEEPS * 99 / 100] / NANOS_PER_MICRO,
                tight[0] ? "1 ns" : "the system's");
    }

    private static void clock(PrintWriter out) {
        long start = System.nanoTime();
        long last = start;
        for (int i = 0; i < CLOCK_READS; i++) {
            last = System.nanoTime();
        }
        out.printf(Locale.ROOT, "clock: %.0f ns per reading%n", (double) (last - start) / CLOCK_READS);
    }

    /** Speed in 10^9 bytes per second. The first half of the time is a warm-up. */
    private double speed(Consumer<byte[]> digest) {
        byte[] block = new byte[BLOCK_BYTES];
        long half = Math.min(duration.toNanos() / 2, 500_000_000L);
        run(digest, block, half);
        return run(digest, block, half);
    }

    private static double run(Consumer<byte[]> digest, byte[] block, long nanos) {
        long start = System.nanoTime();
        long bytes = 0;
        while (System.nanoTime() - start < nanos) {
            digest.accept(block);
            bytes += block.length;
        }
        return (double) bytes / (System.nanoTime() - start);
    }
}
