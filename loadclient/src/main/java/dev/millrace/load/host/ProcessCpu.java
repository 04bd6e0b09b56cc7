package dev.millrace.load.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * CPU time of one process of this machine. On Linux it is {@code utime + stime} of {@code /proc/<pid>/stat} (proc(5),
 * fields 14 and 15). The kernel samples the split of the two, but their sum is the scheduler's exact account, rounded
 * to ticks of 10 ms. Elsewhere it is {@link ProcessHandle.Info#totalCpuDuration()}, and other figures are unknown.
 * Immutable.
 *
 * @param pid         the process
 * @param descendants whether the time, threads and memory of its descendants count as its own. For example, nginx has
 *                    worker processes, and a script starts its server. Ended descendants count with their time, and
 *                    this program never counts as one
 */
public record ProcessCpu(long pid, boolean descendants) implements ServerCpu {

    /** USER_HZ is 100 in the kernel's user interface on every architecture that JDK 17 runs on. */
    private static final long NANOS_PER_TICK = 10_000_000L;
    /** Fields 14 and 15, counted from field 3, the first one after the command's name. */
    private static final int USER_TIME = 11;

    private static final int SYSTEM_TIME = 12;
    /** Fields 16 and 17: the time of descendants that have ended and were waited for. */
    private static final int ENDED_USER_TIME = 13;

    private static final int ENDED_SYSTEM_TIME = 14;
    private static final int THREADS = 17;
    private static final int STATE = 0;
    private static final long KIBIBYTE = 1024;
    private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB$");
    private static final Pattern ALLOWED = Pattern.compile("(?m)^Cpus_allowed_list:\\s+(\\S+)$");
    /** Part of the busiest process's CPU time from which on another one works too, and does not only wait. */
    private static final double WORKING = 0.05;

    private static final Path CONTROL_GROUPS = Path.of("/sys/fs/cgroup");
    /** Names of HotSpot's compiler threads, cut by the kernel to 15 characters. */
    private static final Pattern COMPILER = Pattern.compile("\\(C[12] Compiler");

    /** A process without its descendants. */
    public ProcessCpu(long pid) {
        this(pid, false);
    }

    @Override
    public OptionalLong nanos() {
        return withDescendants(ownNanos(), ProcessCpu::ownNanos);
    }

    private OptionalLong withDescendants(OptionalLong own, Function<ProcessCpu, OptionalLong> figure) {
        if (!descendants || own.isEmpty()) {
            return own;
        }
        return OptionalLong.of(own.getAsLong()
                + countedDescendants(pid).stream()
                        .mapToLong(child ->
                                figure.apply(new ProcessCpu(child.pid(), true)).orElse(0))
                        .sum());
    }

    /** The descendants of a process. A server that has started this program does not do this program's work. */
    private static Set<ProcessHandle> countedDescendants(long pid) {
        Set<ProcessHandle> all = ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::descendants)
                .collect(Collectors.toSet());
        ProcessHandle self = ProcessHandle.current();
        if (all.remove(self)) {
            self.descendants().forEach(all::remove);
        }
        return all;
    }

    @Override
    public boolean isOnThisMachine() {
        return true;
    }

    /** Whether it is a zombie: it has ended and released its files, but its parent has not waited for it. */
    public boolean isZombie() {
        String[] fields = statFields();
        // While other threads still close files, the first thread may be a zombie already.
        return fields != null && fields[STATE].equals("Z") && fields[THREADS].equals("1");
    }

    private OptionalLong ownNanos() {
        String[] fields = statFields();
        if (fields == null) {
            return ProcessHandle.of(pid)
                    .flatMap(handle -> handle.info().totalCpuDuration())
                    .map(Duration::toNanos)
                    .map(OptionalLong::of)
                    .orElseGet(OptionalLong::empty);
        }
        long ticks = Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]);
        if (descendants) {
            ticks += Long.parseLong(fields[ENDED_USER_TIME]) + Long.parseLong(fields[ENDED_SYSTEM_TIME]);
        }
        return OptionalLong.of(ticks * NANOS_PER_TICK);
    }

    @Override
    public OptionalLong threads() {
        return withDescendants(ownField(THREADS), process -> process.ownField(THREADS));
    }

    /** {@inheritDoc} Memory that processes share counts for each of them. */
    @Override
    public OptionalLong residentBytes() {
        return withDescendants(residentBytes(folder()), process -> residentBytes(process.folder()));
    }

    /** The resident memory of the process of a folder. A zombie has none, and no line that tells it. */
    static OptionalLong residentBytes(Path folder) {
        String status = text(folder.resolve("status"));
        if (status == null) {
            return OptionalLong.empty();
        }
        // The field of "stat" counts pages, whose size is the kernel's choice.
        Matcher resident = RESIDENT.matcher(status);
        return OptionalLong.of(resident.find() ? Long.parseLong(resident.group(1)) * KIBIBYTE : 0);
    }

    private Path folder() {
        return Path.of("/proc", Long.toString(pid));
    }

    private OptionalLong ownField(int index) {
        String[] fields = statFields();
        return fields == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(fields[index]));
    }

    @Override
    public long compilerNanos() {
        return withDescendants(
                        OptionalLong.of(ownCompilerNanos()), process -> OptionalLong.of(process.ownCompilerNanos()))
                .getAsLong();
    }

    private long ownCompilerNanos() {
        long ticks = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                String stat = stat(thread);
                if (stat != null && COMPILER.matcher(stat).find()) {
                    String[] fields = fields(stat);
                    ticks += Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]);
                }
            }
        } catch (IOException | DirectoryIteratorException ignored) {
            // As in statFields().
            return 0;
        }
        return ticks * NANOS_PER_TICK;
    }

    /**
     * {@inheritDoc} It is the affinity of all processes that do the work, or what control groups leave these when that
     * is less.
     */
    @Override
    public OptionalDouble allowedCores() {
        BitSet cores = new BitSet();
        double quota = 0;
        for (ProcessCpu one : working()) {
            String status = text(one.folder().resolve("status"));
            Matcher list = ALLOWED.matcher(status == null ? "" : status);
            if (list.find()) {
                add(list.group(1), cores);
                quota = Math.max(quota, CpuQuota.cores(one.folder(), CONTROL_GROUPS));
            }
        }
        return cores.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(Math.min(cores.cardinality(), quota));
    }

    /** This process, or those of it and its descendants that work: a script that has started a server only waits. */
    private List<ProcessCpu> working() {
        if (!descendants) {
            return List.of(this);
        }
        List<ProcessCpu> all = new ArrayList<>(List.of(new ProcessCpu(pid)));
        countedDescendants(pid).forEach(one -> all.add(new ProcessCpu(one.pid())));
        long most = all.stream().mapToLong(one -> one.nanos().orElse(0)).max().orElse(0);
        return all.stream()
                .filter(one -> one.nanos().orElse(0) >= most * WORKING)
                .toList();
    }

    /** Adds the cores of a list such as {@code 0-3,8}. */
    private static void add(String list, BitSet cores) {
        for (String range : list.split(",")) {
            String[] ends = range.split("-");
            cores.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
        }
    }

    private String @Nullable [] statFields() {
        String stat = stat(Path.of("/proc", Long.toString(pid)));
        return stat == null ? null : fields(stat);
    }

    private static String[] fields(String stat) {
        // The command's name is in parentheses, and may itself contain blanks and parentheses.
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    }

    private static @Nullable String stat(Path folder) {
        return text(folder.resolve("stat"));
    }

    private static @Nullable String text(Path file) {
        try {
            // The kernel cuts a name after 15 bytes, which may be within a character of UTF-8.
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException ignored) {
            // There is no /proc, or the process has ended: the figures are unknown.
            return null;
        }
    }
}
