package dev.millrace.load.host;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts of this machine's sockets and this process's file descriptors. Stateless. */
public final class Sockets {

    private static final Pattern TIME_WAIT = Pattern.compile("^TCP:.* tw (\\d+)", Pattern.MULTILINE);

    private Sockets() {}

    /** Sockets in TIME_WAIT, from {@code /proc/net/sockstat}; empty without {@code /proc}. */
    public static OptionalInt inTimeWait() {
        try {
            Matcher matcher = TIME_WAIT.matcher(String.join("\n", Files.readAllLines(Path.of("/proc/net/sockstat"))));
            return matcher.find() ? OptionalInt.of(Integer.parseInt(matcher.group(1))) : OptionalInt.empty();
        } catch (IOException ignored) {
            // Not Linux: the number is unknown.
            return OptionalInt.empty();
        }
    }

    /**
     * File descriptors that this process may still open (getrlimit(2), RLIMIT_NOFILE); each connection takes one. Empty
     * where the JVM does not know them.
     */
    public static OptionalLong freeDescriptors() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? OptionalLong.of(system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount())
                : OptionalLong.empty();
    }
}
