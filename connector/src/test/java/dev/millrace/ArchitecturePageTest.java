package dev.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/architecture.md} says of each class what it is, and of none that is not there. */
class ArchitecturePageTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\|");

    @Test
    void namesEachClassOnce() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "architecture.md"));
        List<String> named =
                ROW.matcher(page).results().map(row -> row.group(1)).sorted().toList();
        try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
            List<String> there = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java") && !name.endsWith("-info.java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .sorted()
                    .toList();
            assertEquals(there, named);
        }
    }
}
