package dev.millrace.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An operator who reads a line of the log finds it on the page of troubles. */
class LogLinesTest {
    private static final Path PAGE = Repository.ROOT.resolve("docs/guides/troubleshooting.md");
    /** Those that run in an operator's server. */
    private static final List<String> MODULES = List.of("connector", "spring-boot-starter");

    private static final Pattern CALL = Pattern.compile("LOG\\.(?:info|warn|error)\\(");
    private static final Pattern LINE = Pattern.compile(CALL.pattern() + "\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    /** Shorter ones begin too many lines. */
    private static final int LEAST_CHARACTERS = 6;

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(Repository.ROOT.resolve(module).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        return sources;
    }

    private static List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path source : sources()) {
            String code = Files.readString(source);
            List<String> found = all(LINE, code);
            assertEquals(
                    CALL.matcher(code).results().count(), found.size(), "a line that begins with no text: " + source);
            found.forEach(line -> lines.add(line.replace("{}", "…")));
        }
        return lines;
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult result) -> result.group(1))
                .toList();
    }

    @Test
    void eachIsOnThePage() throws IOException {
        List<String> beginnings = Files.readAllLines(PAGE).stream()
                .filter(row -> row.startsWith("|"))
                .flatMap(row -> all(CODE, row).stream())
                .filter(code -> code.length() >= LEAST_CHARACTERS)
                .toList();
        List<String> lines = lines();
        assertTrue(lines.size() > 50, lines::toString);
        List<String> missing = lines.stream()
                .filter(line -> beginnings.stream().noneMatch(line::startsWith))
                .sorted()
                .toList();
        assertEquals(List.of(), missing);
    }
}
