package dev.millrace.load.report;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjDoubleConsumer;

/**
 * Values by category and series with their 95 % intervals, drawn as lines or as bars. Categories have equal distances,
 * which suits client counts that grow by factors. Confined to one thread.
 */
final class Chart {

    private static final double BAR_SHARE = 0.76;
    private static final double WHISKER = 4;

    private final String title;
    private final String unit;
    private final Set<String> categories = new LinkedHashSet<>();
    private final Map<String, Map<String, Interval>> series = new LinkedHashMap<>();

    Chart(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    /** Adds a value, unless it is null. */
    void add(String name, String category, Interval value) {
        if (value != null && !Double.isNaN(value.mean()) && !Double.isInfinite(value.mean())) {
            categories.add(category);
            series.computeIfAbsent(name, key -> new LinkedHashMap<>()).put(category, value);
        }
    }

    boolean isEmpty() {
        return series.isEmpty();
    }

    /** Draws lines. Categories must be numbers, and are sorted, because cells may be measured in any order. */
    String lines() {
        List<String> ascending = categories.stream()
                .sorted(Comparator.comparingDouble(Double::parseDouble))
                .toList();
        categories.clear();
        categories.addAll(ascending);
        ChartFrame frame = frame();
        int colour = 0;
        for (Map.Entry<String, Map<String, Interval>> one : series.entrySet()) {
            String stroke = ChartFrame.stroke(colour);
            String fill = ChartFrame.fill(colour++);
            StringBuilder points = new StringBuilder();
            each(
                    one.getValue().keySet(),
                    (category, x) -> points.append(
                            Svg.point(x, frame.y(one.getValue().get(category).mean()))));
            frame.svg().polyline(points.toString().strip(), stroke);
            each(one.getValue().keySet(), (category, x) -> {
                Interval value = one.getValue().get(category);
                whiskers(frame, x, value, stroke);
                frame.svg().dot(x, frame.y(value.mean()), fill, tip(one.getKey(), category, value));
            });
        }
        return frame.done(List.copyOf(series.keySet()));
    }

    /** Draws bars, in the order in which categories were added. */
    String bars() {
        ChartFrame frame = frame();
        double width = slot() * BAR_SHARE / series.size();
        int colour = 0;
        for (Map.Entry<String, Map<String, Interval>> one : series.entrySet()) {
            double shift = colour * width - slot() * BAR_SHARE / 2;
            String fill = ChartFrame.fill(colour++);
            each(one.getValue().keySet(), (category, middle) -> {
                Interval value = one.getValue().get(category);
                double x = middle + shift;
                frame.svg()
                        .bar(
                                x,
                                frame.y(value.mean()),
                                Math.max(1, width - 1),
                                frame.y(0) - frame.y(value.mean()),
                                fill,
                                tip(one.getKey(), category, value));
                whiskers(frame, x + width / 2, value, "whisker");
            });
        }
        return frame.done(List.copyOf(series.keySet()));
    }

    /** Calls an action for each of these categories, with the middle of its place. */
    private void each(Set<String> some, ObjDoubleConsumer<String> action) {
        int place = 0;
        for (String category : categories) {
            double middle = ChartFrame.LEFT + (place++ + 0.5) * slot();
            if (some.contains(category)) {
                action.accept(category, middle);
            }
        }
    }

    private ChartFrame frame() {
        ChartFrame frame = new ChartFrame(title, unit, smallest(), largest());
        each(categories, (category, middle) -> frame.xText(middle, category, slot()));
        return frame;
    }

    private static void whiskers(ChartFrame frame, double x, Interval value, String style) {
        if (Double.isNaN(value.half()) || value.half() == 0) {
            return;
        }
        double top = frame.y(value.mean() + value.half());
        double bottom = frame.y(Math.max(0, value.mean() - value.half()));
        frame.svg().line(x, top, x, bottom, style);
        frame.svg().line(x - WHISKER, top, x + WHISKER, top, style);
        frame.svg().line(x - WHISKER, bottom, x + WHISKER, bottom, style);
    }

    private double smallest() {
        return series.values().stream()
                .flatMap(values -> values.values().stream())
                .mapToDouble(Interval::mean)
                .filter(mean -> mean > 0)
                .min()
                .orElse(0);
    }

    private double largest() {
        return series.values().stream()
                .flatMap(values -> values.values().stream())
                .mapToDouble(value -> value.mean() + (Double.isNaN(value.half()) ? 0 : value.half()))
                .max()
                .orElse(1);
    }

    private double slot() {
        return ChartFrame.plotWidth() / categories.size();
    }

    private String tip(String name, String category, Interval value) {
        String spread = Double.isNaN(value.half())
                ? ""
                : String.format(Locale.ROOT, " \u00b1%.1f%% of %d", value.percent(), value.n());
        return name + ", " + category + ": " + FigureFormat.number(value.mean()) + " " + unit + spread;
    }
}
