package dev.millrace.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Comments of all modules have sentences that are read once. */
class CommentsTest {
    private static final int MOST_WORDS = 25;
    private static final String LONGEST = String.join(" ", Collections.nCopies(MOST_WORDS, "word"));

    private static List<String> faults(String name, String source) {
        List<String> faults = new ArrayList<>();
        for (MarkdownText.Piece sentence : CommentText.sentences(source)) {
            int words = sentence.text().split("\\s+").length;
            if (words > MOST_WORDS) {
                faults.add(name + ":" + sentence.line() + ": " + words + " words in a sentence: " + sentence.text());
            }
        }
        return faults;
    }

    @Test
    void haveNoLongSentence() throws IOException {
        List<String> faults = new ArrayList<>();
        for (String source : Repository.sources()) {
            faults.addAll(faults(source, Files.readString(Repository.ROOT.resolve(source))));
        }
        assertTrue(faults.isEmpty(), () -> String.join("\n", faults));
    }

    @Test
    void areFound() throws IOException {
        long modules = Repository.sources().stream()
                .map(source -> source.substring(0, source.indexOf('/')))
                .distinct()
                .count();
        assertTrue(modules >= 7, modules + " modules");
    }

    @Test
    void aSentenceOfOneWordMoreIsTooLong() {
        assertEquals(List.of(), faults("A", "/** " + LONGEST + ". */\nclass A {\n    // " + LONGEST + "\n}\n"));
        assertEquals(
                List.of("A:1: 26 words in a sentence: a " + LONGEST + "."), faults("A", "/** a " + LONGEST + ". */\n"));
        assertEquals(
                List.of("A:3: 26 words in a sentence: a " + LONGEST),
                faults("A", "class A {\n\n    // a\n    // " + LONGEST + "\n}\n"));
    }

    @Test
    void codeAndTagsEndASentenceOrAreAWord() {
        String longest = LONGEST.substring(5);
        assertEquals(
                List.of(),
                faults(
                        "A",
                        "/**\n * " + LONGEST + "\n *\n * <p>{@link a.B#c(int, int) c} " + longest + "\n * @param a "
                                + longest + "\n */"));
    }
}
