package dev.millrace.load.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;

/** Finds the process that listens on a TCP port of this machine, through {@code /proc} (proc(5)). Stateless. */
public final class ListeningPort {

    private static final String LISTEN = "0A";
    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    private ListeningPort() {
    }

    /**
     * The process, or empty when there is none, or it belongs to another user, or there is no {@code /proc}. Of several
     * that share the socket it is the one that started the others.
     */
    public static OptionalLong pid(int port) {
        Set<String> inodes = listeningInodes(port);
        if (inodes.isEmpty()) {
            return OptionalLong.empty();
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (holdsAny(process, inodes)) {
                    return OptionalLong.of(first(Long.parseLong(process.getFileName().toString()), inodes));
                }
            }
        } catch (IOException | UncheckedIOException ignored) {
            // Not allowed to look: the same as not found.
            return OptionalLong.empty();
        }
        return OptionalLong.empty();
    }

    private static long first(long pid, Set<String> inodes) {
        OptionalLong parent = ProcessHandle.of(pid).flatMap(ProcessHandle::parent).stream()
                .mapToLong(ProcessHandle::pid).findFirst();
        return parent.isPresent() && holdsAny(Path.of("/proc", Long.toString(parent.getAsLong())), inodes)
                ? first(parent.getAsLong(), inodes) : pid;
    }

    private static Set<String> listeningInodes(int port) {
        Set<String> inodes = new HashSet<>();
        String suffix = String.format(Locale.ROOT, ":%04X", port);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            try {
                for (String line : Files.readAllLines(Path.of(table))) {
                    String[] fields = line.strip().split("\\s+");
                    if (fields.length > INODE && fields[LOCAL_ADDRESS].endsWith(suffix)
                            && fields[STATE].equals(LISTEN)) {
                        inodes.add("socket:[" + fields[INODE] + "]");
                    }
                }
            } catch (IOException ignored) {
                // No such table: IPv6 is off, or this is not Linux.
                continue;
            }
        }
        return inodes;
    }

    private static boolean holdsAny(Path process, Set<String> inodes) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path descriptor : descriptors) {
                if (isAny(descriptor, inodes)) {
                    return true;
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException ignored) {
            // Another user's process, or it has ended meanwhile.
            return false;
        }
        return false;
    }

    private static boolean isAny(Path descriptor, Set<String> inodes) {
        try {
            return inodes.contains(Files.readSymbolicLink(descriptor).toString());
        } catch (IOException ignored) {
            // Closed between listing and reading.
            return false;
        }
    }
}
