package dev.millrace.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of README.md and of the pages right below docs: a cell has one figure. */
class FigureCellsTest {
    /** Its tables are the load client's: each ratio has its interval beside it. */
    private static final Set<String> OF_THE_LOAD_CLIENT = Set.of("docs/twenty-years-later.md");

    static Stream<String> pages() throws IOException {
        return Repository.pages().stream()
                .filter(page -> page.matches("README\\.md|docs/[^/]+\\.md") && !OF_THE_LOAD_CLIENT.contains(page));
    }

    private static List<String> cells(String page) {
        return FigureCells.inPage(page).stream()
                .map(cell -> cell.line() + ": " + cell.text())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void aCellHasOneFigure(String page) throws IOException {
        assertEquals(List.of(), cells(Files.readString(Repository.ROOT.resolve(page))));
    }

    @Test
    void pagesAreFound() throws IOException {
        assertTrue(pages().collect(Collectors.toSet())
                .containsAll(Set.of("README.md", "docs/performance.md", "docs/reliability.md")));
        assertTrue(Repository.pages().containsAll(OF_THE_LOAD_CLIENT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "13 - 15",
                "13–15 us",
                "13 us - 15 us",
                "880 - 960",
                "5/10",
                "41/36/20",
                "41, 36, 20",
                "41,36",
                "24 to 25",
                "24 and 25 bytes",
                "70,000 to 77,000",
                "16.4 to 17.0\u00a0us",
                "294.5; 294.9",
                "167 (133 - 177)",
                "1.02 [0.99, 1.05]",
                "8 ± 2",
                "3...5",
                "**13** - 15",
                "2 of 3; 1 of 3",
                "JDK 17, 13 - 15",
                "commit 5999cf4: 13 - 15",
                "1.02 then, and now 1.05"
            })
    void twoFigures(String cell) {
        assertEquals(List.of("3: " + cell), cells("| row | x |\n|---|---|\n| name | " + cell + " |\n"));
        assertEquals(List.of("1: " + cell), cells("| row | " + cell + " |\n|---|---|\n| name | 1 |\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "13",
                "**0.67**",
                "1,048,576",
                "28.0\u00a0us",
                "98 %",
                "-1",
                "1 of 3",
                "12,164 bytes of 1,048,576",
                "at most 1.00 of Tomcat",
                "300 clients: 50 %",
                "0 of `a` 1",
                "`nio-4f2a-1`, `13 - 15`",
                "2026-11-28",
                "5999cf4 to da29ade",
                "JDK 17 to 21",
                "versions 1 and 2",
                "ports 8080 and 8443",
                "RFC 9110 section 14.2",
                "OpenJDK 17.0.15 and 25.0.3",
                "127.0.0.1",
                "-1: as many as 1; 0: none"
            })
    void oneFigureOrNone(String cell) {
        assertEquals(List.of(), cells("| row | x |\n|---|---|\n| name | " + cell + " |\n"));
    }

    @Test
    void theNameOfARowMayHaveARange() {
        assertEquals(List.of(), cells("| row | x |\n|---|---|\n| files of 1 to 64 KiB | 1 |\n"));
        assertEquals(List.of("3: 1.0 to 6.4"), cells("| row | x |\n|---|---|\n| 1.0 to 6.4 | 1 |\n"));
    }
}
