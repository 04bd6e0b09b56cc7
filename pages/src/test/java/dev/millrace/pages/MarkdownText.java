package dev.millrace.pages;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page in Markdown, taken apart into sentences, cells of tables, links and anchors. It knows the part of Markdown
 * that this repository's pages use; code blocks and comments have no sentences.
 */
final class MarkdownText {
    /** Something in the page, and the number of its line, from 1. */
    record Piece(int line, String text) {}

    private static final Pattern FENCE = Pattern.compile("\\s*(```|~~~).*");
    private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");
    private static final Pattern TABLE = Pattern.compile("\\s*\\|.*\\|\\s*");
    private static final Pattern RULE = Pattern.compile("\\s*\\|[-:| ]+\\|\\s*");
    private static final Pattern ITEM = Pattern.compile("\\s*(?:[-*+]|\\d+\\.) (.*)");
    private static final Pattern CODE = Pattern.compile("(`+)(.+?)\\1");
    private static final Pattern LINK =
            Pattern.compile("!?\\[((?:[^\\[\\]]|\\[[^\\]]*\\])*)\\]\\(([^()\\s]+(?:\\([^()]*\\))?)\\)");
    private static final Pattern BARE = Pattern.compile("<(https?:[^>]*)>");
    private static final Pattern SOURCE = Pattern.compile("<[^>]*\\b(?:src|href)=\"([^\"]+)\"[^>]*>");
    private static final Pattern TAG = Pattern.compile("</?[a-zA-Z][^>]*>");
    private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.!?…][)\"'*_]{0,2})\\s+(?![a-z])");

    private final List<Piece> sentences = new ArrayList<>();
    private final List<Piece> cells = new ArrayList<>();
    private final List<Piece> links = new ArrayList<>();
    private final TreeSet<String> anchors = new TreeSet<>();
    private final Map<String, Integer> headings = new HashMap<>();
    private final StringBuilder paragraph = new StringBuilder();
    private int paragraphLine;

    MarkdownText(String page) {
        List<String> lines = withoutComments(page).lines().toList();
        boolean inCode = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (FENCE.matcher(line).matches()) {
                endParagraph();
                inCode = !inCode;
            } else if (!inCode) {
                read(i + 1, line);
            }
        }
        endParagraph();
    }

    /** Comments keep their line ends, for the numbers of the lines after them. */
    private static String withoutComments(String page) {
        return Pattern.compile("(?s)<!--.*?-->")
                .matcher(page)
                .replaceAll(comment -> "\n".repeat((int)
                        comment.group().chars().filter(c -> c == '\n').count()));
    }

    private void read(int number, String line) {
        Matcher heading = HEADING.matcher(line);
        Matcher item = ITEM.matcher(line);
        if (line.isBlank()) {
            endParagraph();
        } else if (heading.matches()) {
            endParagraph();
            anchors.add(anchor(heading.group(1)));
            add(number, heading.group(1));
            endParagraph();
        } else if (TABLE.matcher(line).matches()) {
            endParagraph();
            if (!RULE.matcher(line).matches()) {
                cells(number, line.strip());
            }
        } else if (item.matches()) {
            endParagraph();
            add(number, item.group(1));
        } else {
            add(number, line.replaceFirst("^(> ?)+", ""));
        }
    }

    private void add(int number, String text) {
        links(number, text);
        paragraphLine = paragraph.length() == 0 ? number : paragraphLine;
        paragraph.append(text.strip()).append(' ');
    }

    private void cells(int number, String row) {
        // A bar in code is written with a backslash.
        for (String cell : row.substring(1, row.length() - 1).split("(?<!\\\\)\\|", -1)) {
            links(number, cell);
            cells.add(new Piece(number, shown(cell).strip()));
        }
    }

    private void links(int number, String text) {
        String withoutCode = CODE.matcher(text).replaceAll("code");
        for (Pattern pattern : List.of(LINK, BARE, SOURCE)) {
            Matcher link = pattern.matcher(withoutCode);
            while (link.find()) {
                links.add(new Piece(number, link.group(link.groupCount())));
            }
        }
    }

    private void endParagraph() {
        // A full stop within code ends no sentence, but code may begin one.
        String text = shown(CODE.matcher(paragraph).replaceAll("CODE"));
        for (String sentence : SENTENCE_END.split(text.strip())) {
            if (!sentence.isBlank()) {
                sentences.add(new Piece(paragraphLine, sentence));
            }
        }
        paragraph.setLength(0);
    }

    /** What a reader sees of a text: not where its links lead. */
    private static String shown(String text) {
        String withoutLinks = LINK.matcher(text).replaceAll(link -> Matcher.quoteReplacement(link.group(1)));
        return TAG.matcher(withoutLinks).replaceAll("").replace("\\|", "|");
    }

    /** The anchor that a heading has on the pages of GitHub, with a number if others before it have the same text. */
    private String anchor(String heading) {
        String anchor = shown(heading)
                .replace("`", "")
                .toLowerCase(Locale.ROOT)
                .strip()
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
        int before = headings.merge(anchor, 1, Integer::sum) - 1;
        return before == 0 ? anchor : anchor + "-" + before;
    }

    /** In which code is one word. */
    List<Piece> sentences() {
        return sentences;
    }

    /** As a reader sees them: of a link, its text. */
    List<Piece> cells() {
        return cells;
    }

    /** Where links and pictures lead. */
    List<Piece> links() {
        return links;
    }

    /** Where links can lead in this page, without the number sign. */
    NavigableSet<String> anchors() {
        return anchors;
    }
}
