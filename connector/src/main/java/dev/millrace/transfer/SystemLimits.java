package dev.millrace.transfer;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the system grants. Public for other packages of this library alone. */
public final class SystemLimits {
    private static final Logger LOG = LoggerFactory.getLogger(SystemLimits.class);
    /** What most systems grant a process that asks for no more; assumed where the system does not tell. */
    private static final long UNKNOWN_DESCRIPTORS = 1024;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String NAME = "Max open files";

    private SystemLimits() {}

    /** @return the number in a file of Linux; another one where there is none above 0 */
    public static int read(Path file, int otherwise) {
        // One large read is needed: Linux tells a reader with a small buffer only the first digits.
        try (InputStream in = Files.newInputStream(file)) {
            int limit = Integer.parseInt(new String(in.readNBytes(64), StandardCharsets.US_ASCII).strip());
            return limit > 0 ? limit : otherwise;
        } catch (IOException | NumberFormatException x) {
            LOG.debug("No limit in {}", file, x);
            return otherwise;
        }
    }

    /** @return the most descriptors of this process (getrlimit(2), RLIMIT_NOFILE); {@link Long#MAX_VALUE} when there is no limit */
    static long descriptors() {
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
            return UNKNOWN_DESCRIPTORS;
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
