package dev.millrace.load.host;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;

/** File descriptors of this process; a connection takes one. Stateless. */
public final class Descriptors {

    private Descriptors() {
    }

    /** How many more may be opened (getrlimit(2), RLIMIT_NOFILE); empty where the JVM does not tell. */
    public static OptionalLong free() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? OptionalLong.of(system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount())
                : OptionalLong.empty();
    }
}
