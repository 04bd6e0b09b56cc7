package dev.millrace.load.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Values by category and series with their 95 % intervals, drawn as lines or as bars. Categories have equal distances,
 * which suits client counts that grow by factors. An interval that reaches far beyond the values ends in an arrow, so
 * that it does not flatten them. Confined to one thread.
 */
final class Chart {

    private static final double WHISKER = 4;
    /** Part of the largest value by which intervals may make the scale longer. */
    private static final double MOST_BEYOND = 0.5;

    private final String title;
    private final String unit;
    private final SeriesColours colours;
    private final Set<String> categories = new LinkedHashSet<>();
    private final Map<String, Map<String, Interval>> series = new LinkedHashMap<>();

    Chart(String title, String unit, SeriesColours colours) {
        this.title = title;
        this.unit = unit;
        this.colours = colours;
    }

    /** Adds a value, unless it is null. */
    void add(String name, String category, @Nullable Interval value) {
        if (value != null && Double.isFinite(value.mean())) {
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
        ChartFrame frame = new ChartFrame(title, unit, smallest(), largest());
        categoryTexts(frame, ascending);
        drawn().forEach((name, values) -> {
            String colour = colours.of(name);
            StringBuilder points = new StringBuilder();
            for (int i = 0; i < ascending.size(); i++) {
                Interval value = values.get(ascending.get(i));
                if (value != null) {
                    points.append(Svg.point(x(i, ascending.size()), frame.y(value.mean())));
                }
            }
            frame.svg().polyline(points.toString().strip(), "s" + colour);
            for (int i = 0; i < ascending.size(); i++) {
                Interval value = values.get(ascending.get(i));
                if (value != null) {
                    double x = x(i, ascending.size());
                    whiskers(frame, x, value, "s" + colour);
                    frame.svg().dot(x, frame.y(value.mean()), "f" + colour, tip(name, ascending.get(i), value));
                }
            }
        });
        return frame.done(List.copyOf(series.keySet()), colours);
    }

    /** Draws bars, in the order in which categories were added. */
    String bars() {
        List<BarChart.Bar> bars = new ArrayList<>();
        for (String category : categories) {
            drawn().forEach((name, values) -> {
                Interval value = values.get(category);
                if (value != null) {
                    bars.add(new BarChart.Bar(category, "f" + colours.of(name), value, tip(name, category, value)));
                }
            });
        }
        Axis axis = BarChart.axis(smallest(), largest());
        return ChartFrame.figure(
                title,
                ChartFrame.unit(unit, axis),
                BarChart.of(title, bars, axis),
                List.copyOf(series.keySet()),
                colours);
    }

    /** The series that have a colour. */
    private Map<String, Map<String, Interval>> drawn() {
        Map<String, Map<String, Interval>> drawn = new LinkedHashMap<>(series);
        drawn.keySet().removeIf(name -> colours.of(name) == null);
        return drawn;
    }

    private static double x(int place, int places) {
        return ChartFrame.LEFT + (place + 0.5) * ChartFrame.plotWidth() / places;
    }

    /** Writes the categories, or as many of them at equal distances as have room. */
    private static void categoryTexts(ChartFrame frame, List<String> numbers) {
        List<String> texts = numbers.stream()
                .map(number -> FigureFormat.tick(Double.parseDouble(number)))
                .toList();
        int longest = texts.stream().mapToInt(String::length).max().orElse(1);
        double slot = ChartFrame.plotWidth() / texts.size();
        int step = (int) Math.ceil((longest + 1) * ChartFrame.CHARACTER_WIDTH / slot);
        for (int i = 0; i < texts.size(); i += step) {
            frame.xText(x(i, texts.size()), texts.get(i));
        }
    }

    private static void whiskers(ChartFrame frame, double x, Interval value, String style) {
        if (Double.isNaN(value.half()) || value.half() == 0) {
            return;
        }
        double top = frame.y(value.mean() + value.half());
        double bottom = frame.y(Math.max(0, value.mean() - value.half()));
        double shown = Math.max(top, ChartFrame.top());
        frame.svg().line(x, shown, x, bottom, style);
        double cap = top < shown ? shown + WHISKER : shown;
        frame.svg().line(x - WHISKER, cap, x, shown, style).line(x, shown, x + WHISKER, cap, style);
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
        double mean = 0;
        double end = 0;
        for (Map<String, Interval> values : series.values()) {
            for (Interval value : values.values()) {
                mean = Math.max(mean, value.mean());
                end = Math.max(end, value.mean() + (Double.isFinite(value.half()) ? value.half() : 0));
            }
        }
        return Math.min(end, mean * (1 + MOST_BEYOND));
    }

    private String tip(String name, String category, Interval value) {
        String spread = FigureFormat.spread(value);
        return (name.equals(SeriesColours.UNNAMED) ? "" : name + ", ") + category + ": "
                + FigureFormat.number(value.mean()) + " " + unit
                + (spread.isEmpty() ? "" : spread + " of " + value.n());
    }
}
