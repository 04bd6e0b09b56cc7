package dev.millrace.pages;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The files of this repository. */
final class Repository {
    /** Maven runs tests in the folder of their module. */
    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final Set<String> LEFT_OUT = Set.of("target", ".git", "node_modules");

    private Repository() {}

    /** All pages in Markdown, by their path from {@link #ROOT} with slashes. */
    static NavigableSet<String> pages() throws IOException {
        return files(".md");
    }

    /** All Java sources that are not tests, likewise. */
    static NavigableSet<String> sources() throws IOException {
        return files(".java").stream()
                .filter(source -> source.contains("/src/main/"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static NavigableSet<String> files(String end) throws IOException {
        NavigableSet<String> files = new TreeSet<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return isLeftOut(folder) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(end)) {
                    files.add(name(file));
                }
                return FileVisitResult.CONTINUE;
            }

            // Another module may be cleaned meanwhile.
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (isLeftOut(file)) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        return files;
    }

    private static boolean isLeftOut(Path file) {
        return LEFT_OUT.contains(ROOT.relativize(file).getFileName().toString());
    }

    private static String name(Path file) {
        return StreamSupport.stream(ROOT.relativize(file).spliterator(), false)
                .map(Path::toString)
                .collect(Collectors.joining("/"));
    }
}
