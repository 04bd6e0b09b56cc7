package dev.millrace.load.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * CPU time of the whole machine since it started, from the first line of {@code /proc/stat} (proc(5)). Immutable.
 *
 * @param busySeconds    user, nice, system and interrupts
 * @param idleSeconds    idle and waiting for disks
 * @param stealSeconds   taken by the hypervisor for others
 * @param softirqSeconds part of busy: the kernel's network input among others
 */
public record MachineCpu(double busySeconds, double idleSeconds, double stealSeconds, double softirqSeconds) {

    /** USER_HZ is 100 in the kernel's user interface. */
    private static final double SECONDS_PER_TICK = 0.01;

    /** The CPU time so far; empty without {@code /proc}. */
    public static Optional<MachineCpu> read() {
        try {
            String line = Files.readAllLines(Path.of("/proc/stat")).get(0);
            double[] seconds = Arrays.stream(line.strip().split("\\s+"))
                    .skip(1)
                    .mapToDouble(field -> Long.parseLong(field) * SECONDS_PER_TICK)
                    .toArray();
            double busy = seconds[0] + seconds[1] + seconds[2] + seconds[5] + seconds[6];
            return Optional.of(new MachineCpu(busy, seconds[3] + seconds[4], seconds[7], seconds[6]));
        } catch (IOException ignored) {
            // Not Linux: the report leaves the machine's CPU time out.
            return Optional.empty();
        }
    }

    /** The CPU time since an earlier reading. */
    public MachineCpu since(MachineCpu earlier) {
        return new MachineCpu(
                busySeconds - earlier.busySeconds,
                idleSeconds - earlier.idleSeconds,
                stealSeconds - earlier.stealSeconds,
                softirqSeconds - earlier.softirqSeconds);
    }
}
