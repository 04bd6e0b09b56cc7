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

    /** A heading and a table element, which readers with a keyboard can scroll. */
    String html() {
        return html("wide fit", "");
    }

    /** A heading and a table element whose lines are not broken. */
    String wideHtml() {
        return html("wide", "");
    }

    /**
     * A heading and a table element.
     *
     * @param style   classes of the element that scrolls
     * @param picture name of the column whose texts are elements themselves; empty for none
     */
    String html(String style, String picture) {
        StringBuilder html = new StringBuilder("<h2>")
                .append(Svg.escape(title))
                .append("</h2>\n<div class=\"")
                .append(style)
                .append("\" tabindex=\"0\" role=\"group\" aria-label=\"")
                .append(Svg.escape(title))
                .append("\"><table>\n<thead><tr>");
        heading.forEach(name ->
                html.append("<th scope=\"col\">").append(Svg.escape(name)).append("</th>"));
        html.append("</tr></thead>\n<tbody>\n");
        for (List<String> row : rows) {
            html.append("<tr><th scope=\"row\">").append(Svg.escape(row.get(0))).append("</th>");
            for (int i = 1; i < row.size(); i++) {
                boolean isElement = heading.get(i).equals(picture);
                html.append("<td>")
                        .append(isElement ? row.get(i) : Svg.escape(row.get(i)))
                        .append("</td>");
            }
            html.append("</tr>\n");
        }
        return html.append("</tbody></table></div>\n").toString();
    }
}
