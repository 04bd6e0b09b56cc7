package dev.millrace.load.report;

import java.util.List;

/**
 * The frame of one chart: title, grid, axes, legend. A picture is as wide as a telephone's screen, so that its text is
 * never made smaller. Confined to one thread.
 */
final class ChartFrame {

    /** Width of all pictures. */
    static final int WIDTH = 380;
    /** Place for the numbers of the vertical axis. */
    static final int LEFT = 44;
    /** Pixels of a character in a wide typeface, because the reader's typeface is unknown. */
    static final double CHARACTER_WIDTH = 7;

    private static final int HEIGHT = 230;
    private static final int RIGHT = 12;
    private static final int TOP = 14;
    private static final int BOTTOM = 24;

    private final Svg svg;
    private final Axis axis;
    private final String title;
    private final String unit;

    /** A frame whose vertical axis holds values from the smallest above zero to the largest. */
    ChartFrame(String title, String unit, double smallest, double largest) {
        this.title = title;
        this.svg = new Svg(WIDTH, HEIGHT, title);
        this.axis = new Axis(smallest, largest, TOP, HEIGHT - BOTTOM);
        this.unit = unit(unit, axis);
        for (double tick : axis.ticks()) {
            svg.line(LEFT, axis.y(tick), WIDTH - RIGHT, axis.y(tick), "grid");
            svg.text(LEFT - 6, axis.y(tick) + 4, "end", FigureFormat.tick(tick));
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

    Svg svg() {
        return svg;
    }

    double y(double value) {
        return axis.y(value);
    }

    void xText(double x, String text) {
        svg.text(x, HEIGHT - BOTTOM + 16, "middle", text);
    }

    /** The finished chart, with a legend that names the series, and a word on those that are not drawn. */
    String done(List<String> names, SeriesColours colours) {
        return figure(title, unit, svg, names, colours);
    }

    /** The unit for people, with a word on a scale that is not linear. */
    static String unit(String unit, Axis axis) {
        return unit + (axis.isLogarithmic() ? ", scale by powers of ten" : "");
    }

    /** A finished picture with its caption and legend. Series without a colour are named as left out. */
    static String figure(String title, String unit, Svg svg, List<String> names, SeriesColours colours) {
        StringBuilder legend = new StringBuilder();
        for (String name : names) {
            if (!name.equals(SeriesColours.UNNAMED) && colours.of(name) != null) {
                legend.append("<span class=\"key\"><i class=\"b")
                        .append(colours.of(name))
                        .append("\"></i>")
                        .append(Svg.escape(name))
                        .append("</span>\n");
            }
        }
        List<String> missing =
                names.stream().filter(name -> colours.of(name) == null).toList();
        if (!missing.isEmpty()) {
            legend.append("<span class=\"missing\">not drawn, for more colours cannot be told apart: ")
                    .append(Svg.escape(String.join(", ", missing)))
                    .append("</span>\n");
        }
        return "<figure><figcaption>" + Svg.escape(title) + " <small>(" + Svg.escape(unit) + ")</small></figcaption>\n"
                + svg.done()
                + (legend.isEmpty() ? "" : "<p class=\"legend\">" + legend + "</p>")
                + "</figure>\n";
    }
}
