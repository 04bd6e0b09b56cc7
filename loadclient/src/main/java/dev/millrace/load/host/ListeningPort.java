package dev.millrace.load.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the process that listens on a TCP port of this machine, through {@code /proc} (proc(5)). Stateless. */
public final class ListeningPort {

    /** The port of the peer, which is 0 because there is none yet, and the state LISTEN. */
    private static final String LISTENS = ":0000 0A ";

    private static final int LOCAL_ADDRESS = 1;
    private static final int INODE = 9;
    private static final String ANY_V4 = "00000000";
    private static final String ANY_V6 = ANY_V4.repeat(4);
    /** Prefix of an IPv4 address in the table of IPv6. */
    private static final String V4_MAPPED = ANY_V4.repeat(2) + written(new byte[] {0, 0, -1, -1});

    /**
     * Names of processes that listen for others: systemd for the services that it starts at their first connection
     * (systemd.socket(5)), Docker's proxy for a container. The server's CPU time is not theirs, and that of systemd's
     * descendants is the whole machine's.
     */
    private static final Set<String> FOR_OTHERS = Set.of("systemd", "docker-proxy");

    private ListeningPort() {}

    /**
     * A process, and the descriptor by which it has a socket that listens. Immutable.
     *
     * @param descriptor its entry in {@code /proc}
     * @param socket     where that link leads to; no other socket has this number while this one is open
     */
    public record Holder(long pid, Path descriptor, Path socket) {

        /** Whether the process still has that socket. */
        public boolean holds() {
            return socket.equals(target(descriptor));
        }
    }

    /**
     * The process that takes connections to an address. Of several processes that share its socket, the one that
     * started the others is returned. Processes that listen for others, such as systemd, do not count.
     *
     * @return empty when there is none, when it belongs to another user, or without {@code /proc}. So it is when
     *     several processes take connections, and none of them has started the others
     */
    public static OptionalLong pid(InetSocketAddress address) {
        Holder holder = holder(address);
        return holder == null ? OptionalLong.empty() : OptionalLong.of(holder.pid());
    }

    /**
     * The process that {@link #pid} returns, with its socket.
     *
     * @return null when it is not known
     */
    public static @Nullable Holder holder(InetSocketAddress address) {
        return holder(sockets(address));
    }

    /** Whether a process takes connections to an address, alone or with others that share its socket or its port. */
    public static boolean isHeldBy(long pid, InetSocketAddress address) {
        return holder(pid, sockets(address)) != null;
    }

    private static Set<String> sockets(InetSocketAddress address) {
        for (Set<String> addresses : listeningFor(address.getAddress())) {
            Set<String> inodes = listeningInodes(addresses, address.getPort());
            if (!inodes.isEmpty()) {
                return inodes;
            }
        }
        return Set.of();
    }

    /** Local addresses whose sockets take connections to an address, in the tables' form, the kernel's choice first. */
    private static List<Set<String>> listeningFor(InetAddress address) {
        String written = written(address.getAddress());
        if (address instanceof Inet4Address) {
            return List.of(Set.of(written, V4_MAPPED + written), Set.of(ANY_V4, V4_MAPPED + ANY_V4), Set.of(ANY_V6));
        }
        return List.of(Set.of(written), Set.of(ANY_V6));
    }

    /** The tables' form: words of 32 bits in network order, each printed as a number in this machine's byte order. */
    private static String written(byte[] address) {
        ByteBuffer words = ByteBuffer.wrap(address).order(ByteOrder.nativeOrder());
        StringBuilder text = new StringBuilder();
        while (words.hasRemaining()) {
            text.append(String.format(Locale.ROOT, "%08X", words.getInt()));
        }
        return text.toString();
    }

    private static @Nullable Holder holder(Set<String> inodes) {
        if (inodes.isEmpty()) {
            return null;
        }
        Holder only = null;
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                Holder found = holder(Long.parseLong(process.getFileName().toString()), inodes);
                Holder oldest = found == null ? null : oldest(found, inodes);
                if (only != null && oldest != null && only.pid() != oldest.pid()) {
                    // They share the port, and the time of one is not that of the server.
                    return null;
                }
                only = only == null ? oldest : only;
            }
        } catch (IOException | UncheckedIOException ignored) {
            // Without permission the process counts as not found.
            return null;
        }
        return only;
    }

    /** Of processes that share a socket, the one that has started the others. */
    private static Holder oldest(Holder found, Set<String> inodes) {
        return ProcessHandle.of(found.pid())
                .flatMap(ProcessHandle::parent)
                .flatMap(parent -> Optional.ofNullable(holder(parent.pid(), inodes)))
                .map(parent -> oldest(parent, inodes))
                .orElse(found);
    }

    private static Set<String> listeningInodes(Set<String> addresses, int port) {
        Set<String> inodes = new HashSet<>();
        String suffix = String.format(Locale.ROOT, ":%04X", port);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            try (Stream<String> lines = Files.lines(Path.of(table))) {
                // There may be thousands of others, which are not worth a regular expression.
                lines.filter(line -> line.contains(LISTENS))
                        .map(line -> line.strip().split("\\s+"))
                        .filter(fields -> fields.length > INODE
                                && addresses.stream().anyMatch(one -> fields[LOCAL_ADDRESS].equals(one + suffix)))
                        .forEach(fields -> inodes.add("socket:[" + fields[INODE] + "]"));
            } catch (IOException | UncheckedIOException ignored) {
                // The table is missing: IPv6 is off, or this is not Linux.
            }
        }
        return inodes;
    }

    private static boolean listensForOthers(long pid) {
        try {
            // The kernel cuts a name after 15 bytes, which may be within a character of UTF-8.
            Path name = Path.of("/proc", Long.toString(pid), "comm");
            return FOR_OTHERS.contains(
                    Files.readString(name, StandardCharsets.ISO_8859_1).strip());
        } catch (IOException ignored) {
            // It has ended.
            return false;
        }
    }

    private static @Nullable Holder holder(long pid, Set<String> inodes) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "fd"))) {
            for (Path descriptor : descriptors) {
                Path target = target(descriptor);
                if (target != null && inodes.contains(target.toString())) {
                    return listensForOthers(pid) ? null : new Holder(pid, descriptor, target);
                }
            }
        } catch (IOException | DirectoryIteratorException ignored) {
            // The process belongs to another user, or has ended.
            return null;
        }
        return null;
    }

    private static @Nullable Path target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (IOException ignored) {
            // The descriptor was closed, or its process has ended.
            return null;
        }
    }
}
