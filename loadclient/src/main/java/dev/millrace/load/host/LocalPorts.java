package dev.millrace.load.host;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The local ports that connections can be made from (ip(7), ip-sysctl). When this side closed a connection first, its
 * port stays in TIME_WAIT before it can be used to the same address and port again. Immutable.
 *
 * @param count           ports per local address
 * @param timeWaitSeconds time in TIME_WAIT
 */
public record LocalPorts(int count, int timeWaitSeconds) {

    /** The dynamic ports 49152 to 65535 (RFC 6335 section 6). */
    private static final int IANA_RANGE = 16384;
    /** TCP_TIMEWAIT_LEN of Linux. */
    private static final int TIME_WAIT_SECONDS = 60;

    /**
     * The ports for connections to an address, by the settings of the kernel.
     *
     * @param named whether the client binds to named local addresses: bind(2) takes no port in TIME_WAIT, because
     *              tcp_tw_reuse works for connect(2) only
     */
    public static LocalPorts towards(InetAddress address, boolean named) {
        int count = IANA_RANGE;
        String range = read("net/ipv4/ip_local_port_range");
        if (range != null) {
            String[] ends = range.split("\\s+");
            count = Integer.parseInt(ends[1]) - Integer.parseInt(ends[0]) + 1;
        }
        // tcp_tw_reuse frees a port after a second: 1 towards any address, 2 towards loopback addresses.
        String reuse = read("net/ipv4/tcp_tw_reuse");
        boolean soon = !named && ("1".equals(reuse) || ("2".equals(reuse) && address.isLoopbackAddress()));
        return new LocalPorts(count, soon ? 1 : TIME_WAIT_SECONDS);
    }

    /** Whether a port can be used again before its TIME_WAIT is over. */
    public boolean reusedSoon() {
        return timeWaitSeconds < TIME_WAIT_SECONDS;
    }

    /** Connections per second that never use up the ports when this side closes first. */
    public double sustainablePerSecond(int localAddresses) {
        return (double) count * localAddresses / timeWaitSeconds;
    }

    private static @Nullable String read(String file) {
        try {
            // Files.readString reads one byte first, and these files return their value to the first read only.
            return Files.readAllLines(Path.of("/proc/sys", file)).get(0).strip();
        } catch (IOException ignored) {
            // Not Linux: the caller takes the figures of RFC 6335 and RFC 9293.
            return null;
        }
    }
}
