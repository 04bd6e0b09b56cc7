package dev.millrace.conformance.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/** The files that {@link Grammar} asks for, the same in every run. */
final class SampleFiles {
    private static final FileTime MODIFIED = FileTime.from(Instant.parse("2026-01-02T03:04:05Z"));

    private SampleFiles() {}

    static void write(Path directory) throws IOException {
        Files.createDirectories(directory.resolve("dir"));
        write(directory.resolve("empty.txt"), 0);
        write(directory.resolve("small.txt"), 100);
        write(directory.resolve("page.html"), 3000);
        write(directory.resolve("middle.bin"), 20_000);
        write(directory.resolve("large.bin"), 150_000);
        write(directory.resolve("dir/in.txt"), 10);
        Files.setLastModifiedTime(directory.resolve("dir"), MODIFIED);
    }

    // Each line tells its own position, so that a wrong part can be seen.
    private static void write(Path file, int size) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.length() < size) {
            text.append(text.length()).append('\n');
        }
        Files.writeString(file, text.substring(0, size), StandardCharsets.US_ASCII);
        Files.setLastModifiedTime(file, MODIFIED);
    }
}
