package dev.millrace.load.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table that can be written as text, Markdown and HTML. Immutable.
 *
 * @param title   heading above the table
 * @param heading names of the columns; the first one holds text, the others figures
 * @param rows    rows with a text for each column
 */
record Table(String title, List<String> heading, List<List<String>> rows) {

    /** Text with columns of fixed width. */
    String text() {
        List<List<String>> all = new ArrayList<>();
        all.add(heading);
        all.addAll(rows);
        int[] widths = new int[heading.size()];
        all.forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        StringBuilder text = new StringBuilder(title).append('\n');
        for (List<String> row : all) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(String.format(
                        Locale.ROOT, "%" + (i == 0 ? "-" : "") + Math.max(1, widths[i]) + "s  ", row.get(i)));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    /** GitHub's Markdown. */
    String markdown() {
        StringBuilder text = new StringBuilder("### ").append(title).append("\n\n");
        text.append(markdown(heading))
                .append("|---|")
                .append("---:|".repeat(heading.size() - 1))
                .append('\n');
        rows.forEach(row -> text.append(markdown(row)));
        return text.append('\n').toString();
    }

    private static String markdown(List<String> row) {
        return "| "
                + String.join(
                        " | ",
                        row.stream().map(cell -> cell.replace("|", "\\|")).toList()) + " |\n";
    }

    /** A heading and a table element. */
    String html() {
        StringBuilder html =
                new StringBuilder("<h3>").append(Svg.escape(title)).append("</h3>\n<div class=\"wide fit\"><table>\n");
        html(html, "th", heading);
        rows.forEach(row -> html(html, "td", row));
        return html.append("</table></div>\n").toString();
    }

    private static void html(StringBuilder html, String tag, List<String> row) {
        html.append("<tr>");
        row.forEach(cell -> html.append('<')
                .append(tag)
                .append('>')
                .append(Svg.escape(cell))
                .append("</")
                .append(tag)
                .append('>'));
        html.append("</tr>\n");
    }
}
