package dev.millrace.transfer;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many descriptors the system grants this process: getrlimit(2), RLIMIT_NOFILE. */
final class DescriptorLimit {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorLimit.class);
    /** What most systems grant a process that asks for no more; assumed where the system does not tell. */
    static final long UNKNOWN = 1024;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String NAME = "Max open files";

    private DescriptorLimit() {}

    /** @return {@link Long#MAX_VALUE} when there is no limit; {@link #UNKNOWN} when the system does not tell */
    static long ofProcess() {
        // The file comes first: the bean needs the module jdk.management, and takes some 30 ms of a server's start.
        if (Files.isReadable(LIMITS)) {
            try (Stream<String> lines = Files.lines(LIMITS)) {
                return ofLimits(lines);
            } catch (IOException | RuntimeException x) {
                LOG.debug("Cannot read {}", LIMITS, x);
            }
        }
        try {
            return Bean.limit();
        } catch (LinkageError x) {
            LOG.debug("This runtime is without the module jdk.management", x);
            return UNKNOWN;
        }
    }

    /** @param lines of proc(5)'s {@code limits}: a name, the soft limit, which is the one that holds, the hard limit, and the unit */
    static long ofLimits(Stream<String> lines) {
        String limit = lines.filter(line -> line.startsWith(NAME))
                .findFirst()
                .orElseThrow()
                .substring(NAME.length())
                .strip()
                .split(" ")[0];
        return limit.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(limit);
    }

    /** A class of its own: without the module jdk.management it cannot be loaded. */
    static final class Bean {
        private Bean() {}

        static long limit() {
            // Windows has no such bean; its limit is 16 million.
            return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                    ? unix.getMaxFileDescriptorCount()
                    : Long.MAX_VALUE;
        }
    }
}
