package dev.millrace.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a process, most often this one, holds of files, as Linux tells. */
public final class Leaks {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    private Leaks() {}

    /** Descriptors of files whose path begins so, deleted ones too. */
    public static long descriptors(Path prefix) {
        return descriptors(DESCRIPTORS, prefix);
    }

    static long descriptors(Path ofProcess, Path prefix) {
        try (Stream<Path> all = Files.list(ofProcess)) {
            return all.filter(descriptor -> target(descriptor).startsWith(prefix.toString()))
                    .count();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closed) {
            // Between the listing and now: it holds nothing.
            return "";
        }
    }

    /** Mappings of files whose path begins so, deleted ones too. */
    public static long mappings(Path prefix) {
        try (Stream<String> lines = Files.lines(MAPPINGS)) {
            return lines.filter(line -> line.contains(" " + prefix)).count();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
