package dev.millrace.load.report;

import java.util.List;

/**
 * Draws bars that lie, each group below its category's name, so that a name has the whole width. Stateless.
 */
final class BarChart {

    private static final int LEFT = 4;
    /** Place for the figure at the end of a bar. */
    private static final int RIGHT = 64;

    private static final int TOP = 4;
    private static final int NAME_HEIGHT = 17;
    private static final int BAR_HEIGHT = 13;
    private static final int GAP = 6;
    private static final int AXIS_HEIGHT = 18;
    private static final double WHISKER = 3;
    private static final double LEAST_SHORTENED = 1e6;

    private BarChart() {}

    /**
     * One bar. Immutable.
     *
     * @param category bars of one category follow each other
     * @param style    class of the style sheet
     * @param tip      text that is shown when somebody points at it
     */
    record Bar(String category, String style, Interval value, String tip) {}

    /** A scale from left to right. */
    static Axis axis(double smallest, double largest) {
        return new Axis(smallest, largest, ChartFrame.WIDTH - RIGHT, LEFT);
    }

    /** The picture, as high as its bars need. */
    static Svg of(String title, List<Bar> bars, Axis axis) {
        int groups = (int) bars.stream().map(Bar::category).distinct().count();
        int bottom = TOP + groups * (NAME_HEIGHT + GAP) + bars.size() * BAR_HEIGHT;
        Svg svg = new Svg(ChartFrame.WIDTH, bottom + AXIS_HEIGHT, title);
        grid(svg, axis, bottom);
        double y = TOP;
        String category = null;
        for (Bar bar : bars) {
            if (!bar.category().equals(category)) {
                y += category == null ? 0 : GAP;
                category = bar.category();
                svg.text(LEFT, y + NAME_HEIGHT - 5, "start", cut(category));
                y += NAME_HEIGHT;
            }
            draw(svg, axis, bar, y);
            y += BAR_HEIGHT;
        }
        return svg;
    }

    private static void grid(Svg svg, Axis axis, int bottom) {
        double last = -ChartFrame.WIDTH;
        for (double tick : axis.ticks()) {
            double x = axis.y(tick);
            svg.line(x, TOP, x, bottom, "grid");
            String text = FigureFormat.tick(tick);
            if (x - last > (text.length() + 1) * ChartFrame.CHARACTER_WIDTH) {
                svg.text(x, bottom + 13, last < 0 ? "start" : "middle", text);
                last = x;
            }
        }
    }

    private static void draw(Svg svg, Axis axis, Bar bar, double y) {
        Interval value = bar.value();
        double end = axis.y(value.mean());
        svg.bar(LEFT, y, Math.max(1, end - LEFT), BAR_HEIGHT - 2.0, bar.style(), bar.tip());
        double textAt = end;
        if (Double.isFinite(value.half()) && value.half() > 0) {
            double right = axis.y(value.mean() + value.half());
            double shown = Math.min(right, ChartFrame.WIDTH - RIGHT);
            double left = axis.y(Math.max(0, value.mean() - value.half()));
            double middle = y + BAR_HEIGHT / 2.0 - 1;
            double cap = right > shown ? shown - WHISKER : shown;
            svg.line(left, middle, shown, middle, "whisker")
                    .line(left, middle - WHISKER, left, middle + WHISKER, "whisker")
                    .line(cap, middle - WHISKER, shown, middle, "whisker")
                    .line(shown, middle, cap, middle + WHISKER, "whisker");
            textAt = shown;
        }
        svg.text(textAt + 5, y + BAR_HEIGHT - 3, "start", figure(value.mean()));
    }

    private static String figure(double value) {
        return value < LEAST_SHORTENED ? FigureFormat.number(value) : FigureFormat.tick(value);
    }

    private static String cut(String text) {
        int most = (int) ((ChartFrame.WIDTH - LEFT) / ChartFrame.CHARACTER_WIDTH);
        return text.length() <= most ? text : text.substring(0, most - 1) + "\u2026";
    }
}
