package dev.millrace.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That each rule finds what breaks it, and nothing else. */
class PageRulesTest {
    private static final String FORTY = String.join(" ", Collections.nCopies(40, "word"));

    @TempDir
    Path root;

    private List<String> faults(String text) throws IOException {
        Files.createDirectories(root.resolve("docs"));
        Files.writeString(
                root.resolve("docs/other.md"), "# Other page\n\n## Its `code`, and more\n\n## Twice\n\n## Twice\n");
        Files.writeString(root.resolve("picture.svg"), "<svg/>");
        Files.writeString(root.resolve("page.md"), text);
        return PageRules.faults(root, "page.md");
    }

    private void assertFault(String fault, String text) throws IOException {
        List<String> faults = faults(text);
        assertEquals(1, faults.size(), faults::toString);
        assertTrue(faults.get(0).startsWith("page.md:" + fault), faults.get(0));
    }

    @Test
    void aSentenceOfFortyOneWordsIsTooLong() throws IOException {
        assertEquals(List.of(), faults(FORTY + ".\n"));
        assertFault("1: 41 words in a sentence: word", FORTY + " more.\n");
        assertFault("3: 41 words in a sentence: word", "Short.\n\n- " + FORTY + "\n  more.\n");
        assertFault("1: 41 words in a sentence: ", "# " + FORTY + " more\n");
        assertFault(
                "1: 41 words in a sentence: Word, word; ",
                "A short one.\nWord, word; " + FORTY.substring(10) + " more.\n");
    }

    @Test
    void sentencesEndAtStopsAndBlocks() throws IOException {
        assertEquals(
                List.of(), faults(FORTY + ". Word " + FORTY.substring(5) + "! (" + FORTY + ".) `" + FORTY + "`?\n"));
        assertEquals(
                List.of(),
                faults("- " + FORTY + "\n- " + FORTY + "\n\n" + FORTY + "\n\n# " + FORTY + "\n" + FORTY + "\n"));
    }

    @Test
    void fullStopsWithinCodeOrNumbersEndNoSentence() throws IOException {
        assertFault("1: 42 words", FORTY + " `a. B` 12.1.\n");
        assertFault("1: 42 words", FORTY + " [a.](docs/other.md) b.\n");
    }

    @Test
    void codeBlocksAndCommentsHaveNoSentences() throws IOException {
        assertEquals(
                List.of(),
                faults("```\n" + FORTY + " more | [x](gone.md)\n```\n<!-- " + FORTY + "\n" + FORTY + " -->\n"));
        assertFault("7: 41 words", "<!--\n\n-->\n```\ncode\n```\n" + FORTY + " more\n");
    }

    @Test
    void aCellOfMoreThan120CharactersIsTooLong() throws IOException {
        String cell = "x".repeat(120);
        assertEquals(List.of(), faults("| a | b |\n|---|---|\n| " + cell + " | [" + cell + "](docs/other.md) |\n"));
        assertFault("3: 121 characters in a cell: x", "| a | b |\n|---|---|\n| x" + cell + " | y |\n");
        assertFault("1: 121 characters in a cell: x", "| a | x" + cell + " |\n|---|---|\n");
        assertFault("1: 125 characters in a cell: x", "| x" + cell + " \\| y |\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[a](docs/other.md)",
                "[a](docs)",
                "[a](docs/other.md#other-page)",
                "[a](docs/other.md#its-code-and-more)",
                "[a](docs/other.md#twice-1)",
                "[a](#heading)",
                "![a](picture.svg)",
                "<img src=\"picture.svg\">",
                "[`a`](docs/other.md)",
                "[a](https://jetty.org/docs/)",
                "<http://127.0.0.1:8080/>",
                "`[a](gone.md)`",
                "| [a](docs/other.md) |"
            })
    void linksThatLeadSomewhere(String link) throws IOException {
        assertEquals(List.of(), faults("# Heading\n\n" + link + "\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[a](gone.md)",
                "[a](docs/gone.md#other-page)",
                "[a](docs/other.md#gone)",
                "[a](docs/other.md#twice-2)",
                "[a](#gone)",
                "![a](gone.svg)",
                "<img src=\"gone.svg\">",
                "[`a`](gone.md)",
                "[a](https:///docs/)",
                "[a](htp://jetty.org/)",
                "[a](../outside.md)",
                "| [a](gone.md) |",
                "[a](picture.svg#part)",
                "[a](docs/other.md) [b](gone.md)"
            })
    void linksThatLeadNowhere(String link) throws IOException {
        Files.writeString(root.resolveSibling("outside.md"), "");
        assertFault("3: a dead link: ", "# Heading\n\n" + link + "\n");
    }
}
