package dev.millrace.pages;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Finds cells of tables that have two figures or more: a range, a pair, a figure with its spread. A reader compares the cells of a
 * column, and cannot with those. The first cell of a row only names the row, so it may have a range.
 */
final class FigureCells {
    // Atomic: the end of a figure is no figure.
    private static final String FIGURE = "(?>\\d{1,3}(?:,\\d{3})+(?!\\d)|\\d+)(?:\\.\\d+)?";
    private static final String SPACE = "[\\s\\u00a0]";
    private static final String UNIT = "(?:" + SPACE + "?(?:%|bytes|[A-Za-zµ]{1,3}(?:/[A-Za-z]+)?)(?![A-Za-z]))?";
    private static final String BETWEEN =
            SPACE + "*(?:[-–—/±+;(\\[]|,(?!\\d{3}(?!\\d))|\\.\\.+|…|\\b(?:to|and|or)\\b)" + SPACE + "*";
    // A figure with a colon behind it is a setting's value, whose meaning follows.
    private static final Pattern JOINED =
            Pattern.compile("(?<![\\w.,])" + FIGURE + UNIT + BETWEEN + "[(\\[~+-]?" + FIGURE + "(?![\\d,.]*\\s*:)");
    private static final Pattern TWO_DECIMALS = Pattern.compile("\\d+\\.\\d+\\D.*\\d+\\.\\d+");

    private static final Pattern COUNT = Pattern.compile(FIGURE + " of " + FIGURE);
    private static final String VERSION = "\\d[\\w.]*";
    /** What is no figure: code, dates, commits, versions and other numbers that name something. */
    private static final List<Pattern> NAMES = List.of(
            Pattern.compile("(`+)(.+?)\\1"),
            Pattern.compile("\\b\\d{4}-\\d{2}-\\d{2}\\b"),
            Pattern.compile("\\b(?=\\d*[a-f])[0-9a-f]{7,40}\\b"),
            Pattern.compile("\\b\\d+(?:\\.\\d+){2,}\\b"),
            Pattern.compile("\\b(?:JDK|Java|Jetty|Linux|TLS|HTTP/|[Vv]ersions?|RFC|[Ss]ections?|[Pp]orts?) ?" + VERSION
                    + "(?:(?: to| and| or|/) ?" + VERSION + ")*"));

    private FigureCells() {}

    /** @return the cells of a page that have more than one figure */
    static List<MarkdownText.Piece> inPage(String page) {
        List<MarkdownText.Piece> found = new ArrayList<>();
        int line = 0;
        for (MarkdownText.Piece cell : new MarkdownText(page).cells()) {
            boolean isFirst = cell.line() != line;
            line = cell.line();
            String text = withoutNames(cell.text());
            if (TWO_DECIMALS.matcher(text).find()
                    || (!isFirst && JOINED.matcher(text).find())) {
                found.add(cell);
            }
        }
        return found;
    }

    /** A count, as 1 of 3, is one figure. */
    private static String withoutNames(String cell) {
        String text = cell.replace("*", "");
        for (Pattern name : NAMES) {
            text = name.matcher(text).replaceAll("name");
        }
        return COUNT.matcher(text).replaceAll("1");
    }
}
