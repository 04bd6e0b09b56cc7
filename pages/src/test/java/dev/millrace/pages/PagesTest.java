package dev.millrace.pages;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All pages of this repository: short sentences, short cells of tables, and links that lead somewhere. */
class PagesTest {
    static NavigableSet<String> pages() throws IOException {
        return Repository.pages();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void keepsTheRules(String page) throws IOException {
        List<String> faults = PageRules.faults(Repository.ROOT, page);
        assertTrue(faults.isEmpty(), () -> String.join("\n", faults));
    }

    @Test
    void pagesAreFound() throws IOException {
        assertTrue(Repository.pages()
                .containsAll(Set.of(
                        "README.md",
                        "CHANGELOG.md",
                        "docs/performance.md",
                        "loadclient/README.md",
                        "docs/decisions/0001-a-blocking-connector-again.md")));
    }
}
