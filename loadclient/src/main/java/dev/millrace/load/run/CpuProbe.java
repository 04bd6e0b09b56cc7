package dev.millrace.load.run;

import dev.millrace.load.host.MachineCpu;
import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.host.ServerCpu;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads the CPU time of server, client and machine at both ends of a window. Used by one thread at a time. */
final class CpuProbe {

    private static final double NANOS_PER_SECOND = 1e9;

    private final @Nullable ServerCpu server;
    private final ServerCpu client = new ProcessCpu(ProcessHandle.current().pid());
    private OptionalLong serverBefore = OptionalLong.empty();
    private OptionalLong clientBefore = OptionalLong.empty();
    private Optional<MachineCpu> machineBefore = Optional.empty();
    private CpuUse used = CpuUse.UNKNOWN;

    /** A probe; the server is null when its process is not known. */
    CpuProbe(@Nullable ServerCpu server) {
        this.server = server;
    }

    void start() {
        serverBefore = nanos(server);
        clientBefore = nanos(client);
        machineBefore = MachineCpu.read();
    }

    /** Reads it at the end. */
    void stop() {
        used = read();
    }

    /** The use of the cores between both ends; unknown before. */
    CpuUse used() {
        return used;
    }

    private CpuUse read() {
        Double serverUse = seconds(serverBefore, nanos(server));
        Double clientUse = seconds(clientBefore, nanos(client));
        Optional<MachineCpu> now = MachineCpu.read();
        Long threads = server == null ? null : boxed(server.threads());
        Long resident = server == null ? null : boxed(server.residentBytes());
        boolean elsewhere = server != null && !server.isOnThisMachine();
        if (machineBefore.isEmpty() || now.isEmpty()) {
            return new CpuUse(serverUse, clientUse, null, null, null, null, threads, resident, elsewhere);
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
                resident,
                elsewhere);
    }

    private static OptionalLong nanos(@Nullable ServerCpu process) {
        return process == null ? OptionalLong.empty() : process.nanos();
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }

    private static @Nullable Double seconds(OptionalLong before, OptionalLong after) {
        return before.isEmpty() || after.isEmpty() ? null : (after.getAsLong() - before.getAsLong()) / NANOS_PER_SECOND;
    }
}
