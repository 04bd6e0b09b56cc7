package dev.millrace.pages;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A chart of horizontal bars as a picture in SVG, with colours for light and dark by {@code prefers-color-scheme}. It
 * has a background of its own, so that it can be read also where the page around it is of the other scheme.
 *
 * <p>Its block has lines {@code title:}, {@code about:}, {@code bar:} with the keys of a figure, and {@code group:}, a
 * heading over the bars that follow. {@code kind=theirs} greys a bar of somebody else's server. {@code most: 5} cuts
 * longer bars, with a gap in them. {@code mark: 1} draws a line at that value.
 */
final class BarChart {
    static final int WIDTH = 420;
    private static final int MARGIN = 16;
    private static final int ROW = 25;
    private static final int VALUE_WIDTH = 52;
    private static final double CHARACTER = 6.9;
    private static final int LINE_CHARACTERS = 60;

    private static final String STYLE = """
            <style>
            text { font: 13px system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; fill: #1f2328 }
            .title { font-size: 16px; font-weight: 600 }
            .about { font-size: 12.5px; fill: #59636e }
            .group { font-weight: 600 }
            .value { font-variant-numeric: tabular-nums; stroke: #ffffff; stroke-width: 5; paint-order: stroke }
            .back { fill: #ffffff; stroke: #d1d9e0 }
            .ours { fill: #2b6cd4 }
            .theirs { fill: #98a2ad }
            .mark { stroke: #59636e; stroke-dasharray: 3 3 }
            .cut { stroke: #ffffff; stroke-width: 4 }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 }
            .about { fill: #9aa4ae }
            .back { fill: #0d1117; stroke: #3d444d }
            .ours { fill: #5c9df5 }
            .theirs { fill: #6e7681 }
            .mark { stroke: #9aa4ae }
            .cut, .value { stroke: #0d1117 }
            }
            </style>
            """;

    /** A bar, or a heading, which has {@code NOTHING} as its figure. */
    private record Bar(String label, Figure figure, boolean isOurs) {
        private static final Figure NOTHING = new Figure("", "", "");

        boolean isHeading() {
            return figure.equals(NOTHING);
        }
    }

    private final Block block;
    private final List<Bar> bars = new ArrayList<>();
    private final StringBuilder out = new StringBuilder();

    BarChart(Block block, Results results) {
        this.block = block;
        for (Block.Line line : block.lines()) {
            if (line.word().equals("group")) {
                bars.add(new Bar(line.text(), Bar.NOTHING, false));
            } else if (line.word().equals("bar")) {
                Figure figure = results.find(block.keys(line))
                        .orElseThrow(() ->
                                new IllegalArgumentException("not measured: " + line.text() + ", " + line.keys()));
                bars.add(new Bar(
                        line.text(), figure, !"theirs".equals(line.keys().get("kind"))));
            }
        }
    }

    /** What the chart shows, in words, for a reader who does not see the picture. */
    String description() {
        StringBuilder text = new StringBuilder(block.text("title")).append(". ").append(block.text("about"));
        String before = " ";
        for (Bar bar : bars) {
            if (bar.isHeading()) {
                text.append(before.equals(" ") ? " " : ". ").append(bar.label()).append(": ");
                before = "";
            } else {
                text.append(before)
                        .append(bar.label())
                        .append(": ")
                        .append(bar.figure().shownWithUnit());
                before = "; ";
            }
        }
        return text.append('.').toString();
    }

    String svg() {
        List<String> about = wrapped(block.text("about"));
        int top = 34 + about.size() * 17 + 10;
        int height = top + bars.size() * ROW + 10;
        out.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                        + "height=\"%d\" role=\"img\" aria-label=\"%s\">\n",
                WIDTH,
                height,
                WIDTH,
                height,
                escaped(description())));
        out.append(STYLE);
        add("<rect class=\"back\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"6\"/>", WIDTH - 1, height - 1);
        text("title", MARGIN, 28, block.text("title"));
        for (int i = 0; i < about.size(); i++) {
            text("about", MARGIN, 48 + i * 17, about.get(i));
        }
        bars(top);
        return out.append("</svg>\n").toString();
    }

    private void bars(int top) {
        double left = MARGIN
                + 8
                + CHARACTER
                        * bars.stream()
                                .filter(bar -> !bar.isHeading())
                                .mapToInt(bar -> bar.label().length())
                                .max()
                                .orElse(0);
        double most = most();
        double scale = (WIDTH - MARGIN - VALUE_WIDTH - left) / most;
        for (int i = 0; i < bars.size(); i++) {
            Bar bar = bars.get(i);
            double y = top + i * ROW;
            if (bar.isHeading()) {
                text("group", MARGIN, y + 17, bar.label());
            } else {
                text("label", MARGIN, y + 17, bar.label());
                bar(bar, left, y, scale, most);
            }
        }
        String mark = block.text("mark");
        if (!mark.isEmpty()) {
            double x = left + Double.parseDouble(mark) * scale;
            add(
                    "<line class=\"mark\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
                    x, top, x, top + bars.size() * ROW);
        }
        // Values are drawn last, because the mark may cross them.
        for (int i = 0; i < bars.size(); i++) {
            Bar bar = bars.get(i);
            if (!bar.isHeading()) {
                text(
                        "value",
                        left + length(bar, scale, most) + 6,
                        top + i * ROW + 17,
                        bar.figure().shown());
            }
        }
    }

    private static double length(Bar bar, double scale, double most) {
        return Math.min(bar.figure().number().doubleValue(), most) * scale;
    }

    private void bar(Bar bar, double left, double y, double scale, double most) {
        double width = length(bar, scale, most);
        add(
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"17\"/>",
                bar.isOurs() ? "ours" : "theirs", left, y + 4, width);
        if (bar.figure().number().doubleValue() > most) {
            double x = left + width - 26;
            add("<line class=\"cut\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x, y + 22, x + 8, y + 3);
        }
    }

    private double most() {
        String most = block.text("most");
        return most.isEmpty()
                ? bars.stream()
                        .filter(bar -> !bar.isHeading())
                        .map(bar -> bar.figure().number())
                        .max(BigDecimal::compareTo)
                        .orElseThrow()
                        .doubleValue()
                : Double.parseDouble(most);
    }

    private void text(String style, double x, double y, String text) {
        add("<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>", style, x, y, escaped(text));
    }

    private void add(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static List<String> wrapped(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (line.length() + word.length() >= LINE_CHARACTERS) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
