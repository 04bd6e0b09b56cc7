package dev.millrace.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files of this repository. */
final class Repository {
    /** Maven runs tests in the folder of their module. */
    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final Set<String> LEFT_OUT = Set.of("target", ".git", "node_modules");

    private Repository() {}

    /** All pages in Markdown, by their path from {@link #ROOT} with slashes. */
    static NavigableSet<String> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.map(ROOT::relativize)
                    .filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> names(file).noneMatch(LEFT_OUT::contains))
                    .map(file -> names(file).collect(Collectors.joining("/")))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Stream<String> names(Path file) {
        Stream.Builder<String> names = Stream.builder();
        file.forEach(name -> names.add(name.toString()));
        return names.build();
    }
}
