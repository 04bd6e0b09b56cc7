package dev.millrace.load.host;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The local ports that connections can be made from (ip(7), ip-sysctl). A port of a connection that this side closed
 * first rests in TIME_WAIT before it can be used to the same address and port again.
 *
 * @param count            ports per local address
 * @param timeWaitSeconds  how long one rests
 */
public record LocalPorts(int count, int timeWaitSeconds) {

    private static final int IANA_RANGE = 16384;
    private static final int TIME_WAIT_SECONDS = 60;

    /**
     * What holds for connections to an address, as far as the system tells.
     *
     * @param named whether local addresses are named: to bind to one takes a port then and there, and bind(2) takes
     *              none that rests, whatever tcp_tw_reuse says; that is for connect(2) to choose
     */
    public static LocalPorts towards(InetAddress address, boolean named) {
        int count = IANA_RANGE;
        String range = read("net/ipv4/ip_local_port_range");
        if (range != null) {
            String[] ends = range.split("\\s+");
            count = Integer.parseInt(ends[1]) - Integer.parseInt(ends[0]) + 1;
        }
        // tcp_tw_reuse: 1 lets a port be used again after a second towards any address, 2 towards loopback alone.
        String reuse = read("net/ipv4/tcp_tw_reuse");
        boolean soon = !named && ("1".equals(reuse) || "2".equals(reuse) && address.isLoopbackAddress());
        return new LocalPorts(count, soon ? 1 : TIME_WAIT_SECONDS);
    }

    /** Whether a port can be used again before it has rested. */
    public boolean reusedSoon() {
        return timeWaitSeconds < TIME_WAIT_SECONDS;
    }

    /** New connections per second that can go on for ever when this side closes first. */
    public double sustainablePerSecond(int localAddresses) {
        return (double) count * localAddresses / timeWaitSeconds;
    }

    private static String read(String file) {
        try {
            // Files.readString reads one byte first, and these files give their value to the first read alone.
            return Files.readAllLines(Path.of("/proc/sys", file)).get(0).strip();
        } catch (IOException ignored) {
            // Not Linux: the figures of RFC 6335 and RFC 9293 stand.
            return null;
        }
    }
}
