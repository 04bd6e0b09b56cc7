package dev.millrace.load.run;

import dev.millrace.load.host.MachineCpu;
import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.host.ServerCpu;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads the CPU time of server, client and machine at both ends of a window. Of servers that are measured together,
 * {@link #start} and {@link #stop} are called one right after the other: what takes longer is read before or after. Used
 * by one thread at a time.
 */
final class CpuProbe {

    private static final double NANOS_PER_SECOND = 1e9;
    /** Share of the server's CPU time that its JIT compilers may take without a remark. */
    private static final double MUCH_COMPILED = 0.05;
    /** The kernel counts in ticks of 10 ms, and each compiler's thread twice: as user and as system time. */
    private static final double LEAST_COMPILED_SECONDS = 0.05;

    private final @Nullable ServerCpu server;
    private final ServerCpu client = new ProcessCpu(ProcessHandle.current().pid());
    private OptionalLong serverBefore = OptionalLong.empty();
    private OptionalLong clientBefore = OptionalLong.empty();
    private Optional<MachineCpu> machineBefore = Optional.empty();
    private long compiledBefore;
    private long compiledNanos;
    private @Nullable Long threads;
    private @Nullable Long residentBytes;
    private CpuUse used = CpuUse.UNKNOWN;

    /** A probe; the server is null when its process is not known. */
    CpuProbe(@Nullable ServerCpu server) {
        this.server = server;
    }

    /** Reads the time of the server's compilers. This is no part of {@link #start}, because it reads a file per thread. */
    void beforeStart() {
        compiledBefore = compilerNanos();
    }

    /** Reads all CPU times at the beginning of the window. */
    void start() {
        serverBefore = nanos(server);
        clientBefore = nanos(client);
        machineBefore = MachineCpu.read();
    }

    /** Reads the server's size, while it is still under load. */
    void beforeStop() {
        threads = server == null ? null : boxed(server.threads());
        residentBytes = server == null ? null : boxed(server.residentBytes());
    }

    /** Reads all CPU times again at the end of the window. */
    void stop() {
        used = read();
    }

    /** Reads the time of the server's compilers again. */
    void afterStop() {
        compiledNanos = compilerNanos() - compiledBefore;
    }

    /** The use of the cores between both ends; unknown before. */
    CpuUse used() {
        return used;
    }

    /** CPU time of the server so far; 0 when it is not known. */
    long serverNanos() {
        return nanos(server).orElse(0);
    }

    /** CPU time of the server's compilers so far; 0 when it is not known. */
    long compilerNanos() {
        return server == null ? 0 : server.compilerNanos();
    }

    /** What makes the figures less exact, in words for people. */
    List<String> notes(CpuUse use) {
        List<String> notes = new ArrayList<>();
        Double serverUse = use.server();
        if (server != null && serverUse == null) {
            notes.add("the server's CPU time could not be read");
        }
        Double others = use.othersShare();
        if (others != null && others > CpuUse.MUCH_BY_OTHERS) {
            notes.add(String.format(Locale.ROOT, "other processes used %.0f %% of the machine", others * 100));
        }
        double compiled = compiledNanos / NANOS_PER_SECOND;
        if (serverUse != null && compiled > Math.max(LEAST_COMPILED_SECONDS, serverUse * MUCH_COMPILED)) {
            double share = Math.min(1, compiled / serverUse);
            notes.add(String.format(
                    Locale.ROOT, "the server still compiled in this window: %.0f %% of its CPU", share * 100));
        }
        return notes;
    }

    private CpuUse read() {
        Double serverUse = seconds(serverBefore, nanos(server));
        Double clientUse = seconds(clientBefore, nanos(client));
        Optional<MachineCpu> now = MachineCpu.read();
        boolean elsewhere = server != null && !server.isOnThisMachine();
        if (machineBefore.isEmpty() || now.isEmpty()) {
            return new CpuUse(serverUse, clientUse, null, null, null, null, threads, residentBytes, elsewhere, null);
        }
        MachineCpu machine = now.get().since(machineBefore.get());
        double known = (serverUse == null || elsewhere ? 0 : serverUse) + (clientUse == null ? 0 : clientUse);
        return new CpuUse(
                serverUse,
                clientUse,
                Math.max(0, machine.busySeconds() - known),
                machine.idleSeconds(),
                machine.stealSeconds(),
                machine.softirqSeconds(),
                threads,
                residentBytes,
                elsewhere,
                null);
    }

    private static OptionalLong nanos(@Nullable ServerCpu process) {
        return process == null ? OptionalLong.empty() : process.nanos();
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }

    /** The time between two readings; null without both, and if it went back: another process answers then. */
    private static @Nullable Double seconds(OptionalLong before, OptionalLong after) {
        return before.isEmpty() || after.isEmpty() || after.getAsLong() < before.getAsLong()
                ? null
                : (after.getAsLong() - before.getAsLong()) / NANOS_PER_SECOND;
    }
}
