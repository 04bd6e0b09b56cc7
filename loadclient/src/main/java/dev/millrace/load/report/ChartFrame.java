package dev.millrace.load.report;

import java.util.List;

/** The frame of one chart: title, grid, axes, legend. Confined to one thread. */
final class ChartFrame {

    static final int LEFT = 64;
    private static final int WIDTH = 720;
    private static final int HEIGHT = 300;
    private static final int RIGHT = 12;
    private static final int TOP = 14;
    private static final int BOTTOM = 34;
    private static final int COLOURS = 8;
    /** Pixels of a character in a wide typeface, because the reader's typeface is unknown. */
    private static final double CHARACTER_WIDTH = 7;

    private final Svg svg;
    private final Axis axis;
    private final String title;
    private final String unit;

    /** A frame whose vertical axis holds values from the smallest above zero to the largest. */
    ChartFrame(String title, String unit, double smallest, double largest) {
        this.title = title;
        this.svg = new Svg(WIDTH, HEIGHT, title);
        this.axis = new Axis(smallest, largest, TOP, HEIGHT - BOTTOM);
        this.unit = unit + (axis.isLogarithmic() ? ", scale by powers of ten" : "");
        for (double tick : axis.ticks()) {
            svg.line(LEFT, axis.y(tick), WIDTH - RIGHT, axis.y(tick), "grid");
            svg.text(LEFT - 6, axis.y(tick) + 4, "end", FigureFormat.number(tick));
        }
    }

    static double plotWidth() {
        return WIDTH - LEFT - RIGHT;
    }

    static double bottom() {
        return HEIGHT - BOTTOM;
    }

    static double top() {
        return TOP;
    }

    static String stroke(int colour) {
        return "s" + colour % COLOURS;
    }

    static String fill(int colour) {
        return "f" + colour % COLOURS;
    }

    Svg svg() {
        return svg;
    }

    double y(double value) {
        return axis.y(value);
    }

    void xText(double x, String text) {
        svg.text(x, HEIGHT - BOTTOM + 18, "middle", text);
    }

    /** Writes the name of a category. It is broken into two lines, and then cut, if it is wider than its place. */
    void xText(double x, String text, double width) {
        int most = (int) (width / CHARACTER_WIDTH);
        int blank = text.length() <= most ? -1 : blank(text);
        if (blank < 0) {
            xText(x, cut(text, most));
            return;
        }
        svg.text(x, HEIGHT - BOTTOM + 14, "middle", cut(text.substring(0, blank), most));
        svg.text(x, HEIGHT - BOTTOM + 27, "middle", cut(text.substring(blank + 1), most));
    }

    /** Index of the blank nearest to the middle; -1 if there is none. */
    private static int blank(String text) {
        int middle = text.length() / 2;
        int before = text.lastIndexOf(' ', middle);
        int after = text.indexOf(' ', middle);
        return after < 0 || (before >= 0 && middle - before < after - middle) ? before : after;
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, Math.max(0, most - 1)) + "\u2026";
    }

    /** The finished chart, with a legend that names the series in the order of their colours. */
    String done(List<String> names) {
        StringBuilder legend = new StringBuilder();
        int colour = 0;
        for (String name : names) {
            legend.append("<span class=\"key\"><i class=\"b")
                    .append(colour++ % COLOURS)
                    .append("\"></i>")
                    .append(Svg.escape(name))
                    .append("</span>\n");
        }
        return "<figure><figcaption>" + Svg.escape(title) + " <small>(" + Svg.escape(unit) + ")</small></figcaption>\n"
                + svg.done() + "<p class=\"legend\">" + legend + "</p></figure>\n";
    }
}
