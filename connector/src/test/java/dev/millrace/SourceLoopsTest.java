package dev.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files of the whole project that know each other in loops. A file knows another when its code names the type of that file, in the same
 * package or by an import. Comments and strings do not count. Constants and annotations do, of which bytecode would show nothing.
 */
class SourceLoopsTest {
    /** What there is. Both may only become smaller. */
    private static final int MOST_FILES_IN_LOOPS = 4;

    private static final int LARGEST_LOOP = 2;

    private static final Pattern PACKAGE = Pattern.compile("^package\\s+([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern IMPORT =
            Pattern.compile("^import\\s+(?:static\\s+)?([\\w.]+?)\\.([A-Z]\\w*)(?:\\.\\w+)*;", Pattern.MULTILINE);
    private static final Pattern NOT_CODE = Pattern.compile(
            "/\\*.*?\\*/|//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"|^(?:import|package)[^\\n]*",
            Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern TYPE = Pattern.compile("\\b[A-Z]\\w*\\b");

    @TempDir
    Path directory;

    /** The source of each type's file, by package and name. */
    private static Map<String, String> sources(Path root) throws IOException {
        Map<String, String> sources = new TreeMap<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return folder.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (isMain(file)) {
                    String source = Files.readString(file);
                    String name = file.getFileName().toString().replace(".java", "");
                    sources.put(packageOf(source) + "." + name, source);
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

    private static Map<String, Set<String>> knownBy(Path root) throws IOException {
        Map<String, String> sources = sources(root);
        Map<String, Set<String>> known = new TreeMap<>();
        sources.forEach((type, source) -> known.put(
                type,
                namedIn(source)
                        .filter(sources::containsKey)
                        .filter(n -> !n.equals(type))
                        .collect(Collectors.toSet())));
        return known;
    }

    private static boolean isMain(Path file) {
        String path = file.toString().replace('\\', '/');
        return path.contains("/src/main/")
                && path.endsWith(".java")
                && !path.endsWith("-info.java")
                && !path.contains("/examples/");
    }

    private static String packageOf(String source) {
        Matcher matcher = PACKAGE.matcher(source);
        return matcher.find() ? matcher.group(1) : "";
    }

    private static Stream<String> namedIn(String source) {
        String own = packageOf(source);
        Map<String, String> imports = IMPORT.matcher(source)
                .results()
                .collect(Collectors.toMap(found -> found.group(2), found -> found.group(1), (one, other) -> one));
        return TYPE.matcher(NOT_CODE.matcher(source).replaceAll(" "))
                .results()
                .map(found -> imports.getOrDefault(found.group(), own) + "." + found.group());
    }

    /** Strongly connected components of more than one file, the largest first: Tarjan, SIAM Journal on Computing 1972. */
    private static final class Loops {
        private final Map<String, Set<String>> known;
        private final Map<String, Integer> index = new HashMap<>();
        private final Map<String, Integer> low = new HashMap<>();
        private final Deque<String> path = new ArrayDeque<>();
        private final Set<String> onPath = new HashSet<>();
        private final List<Set<String>> found = new ArrayList<>();

        private Loops(Map<String, Set<String>> known) {
            this.known = known;
        }

        private static List<Set<String>> in(Path root) throws IOException {
            Loops loops = new Loops(knownBy(root));
            for (String type : loops.known.keySet()) {
                if (!loops.index.containsKey(type)) {
                    loops.visit(type);
                }
            }
            loops.found.sort(Comparator.comparing(loop -> -loop.size()));
            return loops.found;
        }

        private void visit(String type) {
            index.put(type, index.size());
            low.put(type, index.get(type));
            path.push(type);
            onPath.add(type);
            for (String other : known.get(type)) {
                if (!index.containsKey(other)) {
                    visit(other);
                    low.merge(type, low.get(other), Math::min);
                } else if (onPath.contains(other)) {
                    low.merge(type, index.get(other), Math::min);
                }
            }
            if (low.get(type).equals(index.get(type))) {
                close(type);
            }
        }

        private void close(String type) {
            Set<String> loop = new TreeSet<>();
            String other;
            do {
                other = path.pop();
                onPath.remove(other);
                loop.add(other);
            } while (!other.equals(type));
            if (loop.size() > 1) {
                found.add(loop);
            }
        }
    }

    @Test
    void doNotGrow() throws IOException {
        List<Set<String>> loops = Loops.in(Path.of("..").toRealPath());
        String names = loops.stream().map(Set::toString).collect(Collectors.joining("\n"));
        int files = loops.stream().mapToInt(Set::size).sum();
        int largest = loops.isEmpty() ? 0 : loops.get(0).size();
        assertTrue(
                files <= MOST_FILES_IN_LOOPS && largest <= LARGEST_LOOP,
                () -> files + " files in loops, the largest of " + largest + ":\n" + names);
    }

    private void write(String type, String source) throws IOException {
        Path folder = Files.createDirectories(directory.resolve("module/src/main/java"));
        Files.writeString(folder.resolve(type + ".java"), source);
    }

    @Test
    void areFoundWithinAndBetweenPackages() throws IOException {
        write("A", "package one;\nclass A { B b; }");
        write("B", "package one;\nimport two.C;\nclass B { C.Inner c; }");
        write("C", "package two;\nimport static one.A.CONSTANT;\nclass C { int c = A.CONSTANT; }");
        write("D", "package two;\n/** See {@link E}. */\nclass D { C c; String e = \"E\"; }");
        write("E", "package two;\nclass E { D d; // A\n}");
        assertEquals(List.of(Set.of("one.A", "one.B", "two.C")), Loops.in(directory));
    }
}
