package dev.millrace.pages;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A part of the page that this program writes. A comment says what it shows, line by line: a word, a colon, a text, and
 * after a bar the keys of figures as {@code key=value}. The keys of a line {@code all:} are those of every line that
 * does not say otherwise.
 *
 * @param all the keys of all lines
 */
record Block(String kind, String name, Map<String, String> all, List<Line> lines) {
    /** The comment, and what follows it up to the end of the block. */
    static final Pattern IN_PAGE =
            Pattern.compile("(?s)(<!-- (table|goals|chart)(?: ([\\w-]+))?\n(.*?)-->\n).*?(<!-- end -->\n)");

    /** The first line of the comment. */
    static final Pattern BEGIN = Pattern.compile("<!-- (?:table|goals|chart)\\b");

    private static final Pattern LINE = Pattern.compile("(\\w+): ([^|]*?)(?: ?\\| (.*))?");

    /** A line of the comment. */
    record Line(String word, String text, Map<String, String> keys) {}

    /** The block of a match of {@link #IN_PAGE}. */
    static Block of(Matcher match) {
        List<Line> lines = new ArrayList<>();
        Map<String, String> all = new HashMap<>();
        for (String text : match.group(4).lines().toList()) {
            Matcher line = LINE.matcher(text);
            if (!line.matches()) {
                throw new IllegalArgumentException("not \"word: text | key=value\": " + text);
            }
            if (line.group(1).equals("all")) {
                all.putAll(keys(line.group(2)));
            } else {
                lines.add(new Line(line.group(1), line.group(2), keys(line.group(3) == null ? "" : line.group(3))));
            }
        }
        return new Block(match.group(2), match.group(3), all, lines);
    }

    private static Map<String, String> keys(String text) {
        Map<String, String> keys = new HashMap<>();
        for (String pair :
                text.isBlank() ? List.<String>of() : List.of(text.trim().split(" +"))) {
            int equals = pair.indexOf('=');
            if (equals < 1 || keys.put(pair.substring(0, equals), pair.substring(equals + 1)) != null) {
                throw new IllegalArgumentException("not key=value, or twice: " + pair);
            }
        }
        return keys;
    }

    /** The keys of all lines and of these lines. A later line overrides an earlier one. */
    Map<String, String> keys(Line... of) {
        Map<String, String> keys = new HashMap<>(all);
        for (Line line : of) {
            keys.putAll(line.keys);
        }
        return keys;
    }

    List<Line> lines(String word) {
        return lines.stream().filter(line -> line.word.equals(word)).toList();
    }

    /** The texts of all lines that begin with this word, as one. */
    String text(String word) {
        return lines(word).stream().map(Line::text).collect(Collectors.joining(" "));
    }
}
