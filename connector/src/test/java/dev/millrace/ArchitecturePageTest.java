package dev.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/architecture.md} says of each class what it is, and of none that is not there. */
class ArchitecturePageTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\|");
    /** Two words or more in one. */
    private static final Pattern NAME = Pattern.compile("\\b(?:[A-Z][a-z0-9]+){2,}\\b");
    /** Classes of Jetty's and a protocol. */
    private static final Set<String> OF_OTHERS = Set.of("HttpConnection", "ManagedSelector", "WebSocket");

    private static String page() throws IOException {
        return Files.readString(Path.of("..", "docs", "architecture.md"));
    }

    private static List<String> rows(String page) {
        return ROW.matcher(page).results().map(row -> row.group(1)).sorted().toList();
    }

    private static List<String> classes(String sources) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src", sources, "java"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java") && !name.endsWith("-info.java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void namesEachClassOnce() throws IOException {
        assertEquals(classes("main"), rows(page()));
    }

    /** Who walks through the page meets no name that it does not explain. */
    @Test
    void explainsEachNameOfItsWalks() throws IOException {
        String page = page();
        Set<String> explained = new HashSet<>(OF_OTHERS);
        explained.addAll(rows(page));
        explained.addAll(classes("test"));
        String walks = page.substring(0, page.indexOf("## The classes"));
        List<String> unexplained = NAME.matcher(walks)
                .results()
                .map(MatchResult::group)
                .filter(name -> !explained.contains(name))
                .distinct()
                .toList();
        assertEquals(List.of(), unexplained);
    }
}
