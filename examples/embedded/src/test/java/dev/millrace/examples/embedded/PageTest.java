package dev.millrace.examples.embedded;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The code on the documentation's page is that of the examples. */
class PageTest {
    private static final Path EXAMPLES = Path.of("..");
    private static final Path PAGE = Path.of("..", "..", "docs", "embedding.md");
    private static final Path PARENT = Path.of("..", "..", "pom.xml");
    /** The examples have theirs from the parent. */
    private static final Pattern VERSION = Pattern.compile("<version>.*</version>\n");

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(?:java|xml)\n(.*?)^```$");

    @Test
    void everyBlockOfCodeStandsInAnExample() throws IOException {
        List<String> sources = sources();
        int blocks = 0;
        for (Matcher block = BLOCK.matcher(read(PAGE)); block.find(); blocks++) {
            String code = withoutIndent(block.group(1));
            String unversioned = VERSION.matcher(code).replaceAll("");
            assertTrue(sources.stream().anyMatch(source -> withoutIndent(source).contains(unversioned)), block.group());
        }
        assertTrue(blocks >= 5, blocks + " blocks in " + PAGE);
    }

    @Test
    void theVersionIsThatOfTheParent() {
        String parent = withoutIndent(read(PARENT));
        String own = parent.substring(0, parent.indexOf("<packaging>"));
        Matcher version = VERSION.matcher(withoutIndent(read(PAGE)));
        int versions = 0;
        for (; version.find(); versions++) {
            assertTrue(own.contains(version.group()), version.group());
        }
        assertTrue(versions >= 2, versions + " versions in " + PAGE);
        String jetty = parent.replaceFirst("(?s).*<jetty.version>(.*?)</jetty.version>.*", "$1");
        assertTrue(read(PAGE).contains("`org.eclipse.jetty.ee11:jetty-ee11-servlet:" + jetty + "`"), jetty);
    }

    private static List<String> sources() throws IOException {
        List<String> sources = new ArrayList<>();
        Files.walkFileTree(EXAMPLES, new SimpleFileVisitor<>() {
            // The build that runs this has files there that come and go.
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return folder.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (isSource(file)) {
                    sources.add(read(file));
                }
                return FileVisitResult.CONTINUE;
            }

            // Another module may be cleaned meanwhile.
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (file.endsWith("target")) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        return sources;
    }

    private static boolean isSource(Path file) {
        return file.toString().matches(".*\\bsrc\\b.main\\b.*\\.java|.*\\bpom\\.xml");
    }

    private static String withoutIndent(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
