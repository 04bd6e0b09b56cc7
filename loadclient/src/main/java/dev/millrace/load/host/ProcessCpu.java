package dev.millrace.load.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * CPU time of one process of this machine. On Linux {@code utime + stime} of {@code /proc/<pid>/stat} (proc(5), fields 14
 * and 15): the split of the two is sampled, but their sum follows the scheduler's exact account, rounded to ticks of
 * 10 ms. Elsewhere {@link ProcessHandle.Info#totalCpuDuration()}. Immutable.
 *
 * @param pid the process
 */
public record ProcessCpu(long pid) {

    /** USER_HZ: 100 in the kernel's user interface on every architecture that a JDK 17 runs on. */
    private static final long NANOS_PER_TICK = 10_000_000L;
    /** Fields 14 and 15, counted from field 3, the first one behind the command's name. */
    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;
    private static final int THREADS = 17;
    private static final int RESIDENT_PAGES = 21;
    private static final long PAGE_BYTES = 4096;

    /** CPU time used so far by all threads, living or ended, in nanoseconds; empty when it cannot be read. */
    public OptionalLong nanos() {
        String[] fields = statFields();
        if (fields == null) {
            return ProcessHandle.of(pid).flatMap(handle -> handle.info().totalCpuDuration())
                    .map(Duration::toNanos).map(OptionalLong::of).orElseGet(OptionalLong::empty);
        }
        return OptionalLong.of((Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]))
                * NANOS_PER_TICK);
    }

    /** Threads of the process; empty where there is no {@code /proc}. */
    public OptionalLong threads() {
        String[] fields = statFields();
        return fields == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(fields[THREADS]));
    }

    /** Resident memory in bytes; empty where there is no {@code /proc}. */
    public OptionalLong residentBytes() {
        String[] fields = statFields();
        return fields == null ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(fields[RESIDENT_PAGES]) * PAGE_BYTES);
    }

    private String[] statFields() {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // The name stands in parentheses and may itself contain blanks and parentheses.
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        } catch (IOException ignored) {
            // No /proc here, or the process has ended: both are answered by an empty value.
            return null;
        }
    }
}
