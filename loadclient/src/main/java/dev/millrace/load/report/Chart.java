package dev.millrace.load.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Values by category and series, drawn as lines or as bars, with their 95 % intervals. Categories stand at equal
 * distances, which suits client counts that grow by factors. Confined to one thread.
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

    /** Adds a value; null is left out. */
    void add(String name, String category, Interval value) {
        if (value != null && !Double.isNaN(value.mean()) && !Double.isInfinite(value.mean())) {
            categories.add(category);
            series.computeIfAbsent(name, key -> new LinkedHashMap<>()).put(category, value);
        }
    }

    boolean isEmpty() {
        return series.isEmpty();
    }

    /** Lines over categories that are numbers, in their order: cells may have been measured in any. */
    String lines() {
        List<String> ascending = categories.stream().sorted(Comparator.comparingDouble(Double::parseDouble)).toList();
        categories.clear();
        categories.addAll(ascending);
        Figure figure = new Figure(title, unit, smallest(), largest());
        categoryTexts(figure);
        int colour = 0;
        for (Map.Entry<String, Map<String, Interval>> one : series.entrySet()) {
            StringBuilder points = new StringBuilder();
            int place = 0;
            for (String category : categories) {
                Interval value = one.getValue().get(category);
                if (value != null) {
                    points.append(Svg.point(middle(place), figure.y(value.mean())));
                }
                place++;
            }
            figure.svg().polyline(points.toString().strip(), Figure.stroke(colour));
            place = 0;
            for (String category : categories) {
                Interval value = one.getValue().get(category);
                if (value != null) {
                    double x = middle(place);
                    whiskers(figure, x, value, Figure.stroke(colour));
                    figure.svg().dot(x, figure.y(value.mean()), Figure.fill(colour), tip(one.getKey(), category,
                            value));
                }
                place++;
            }
            colour++;
        }
        return figure.done(new ArrayList<>(series.keySet()));
    }

    String bars() {
        Figure figure = new Figure(title, unit, smallest(), largest());
        categoryTexts(figure);
        double width = slot() * BAR_SHARE / series.size();
        int colour = 0;
        for (Map.Entry<String, Map<String, Interval>> one : series.entrySet()) {
            int place = 0;
            for (String category : categories) {
                Interval value = one.getValue().get(category);
                if (value != null) {
                    double x = middle(place) - slot() * BAR_SHARE / 2 + colour * width;
                    figure.svg().bar(x, figure.y(value.mean()), Math.max(1, width - 1),
                            figure.y(0) - figure.y(value.mean()), Figure.fill(colour), tip(one.getKey(), category,
                            value));
                    whiskers(figure, x + width / 2, value, "whisker");
                }
                place++;
            }
            colour++;
        }
        return figure.done(new ArrayList<>(series.keySet()));
    }

    private static void whiskers(Figure figure, double x, Interval value, String style) {
        if (Double.isNaN(value.half()) || value.half() == 0) {
            return;
        }
        double top = figure.y(value.mean() + value.half());
        double bottom = figure.y(Math.max(0, value.mean() - value.half()));
        figure.svg().line(x, top, x, bottom, style);
        figure.svg().line(x - WHISKER, top, x + WHISKER, top, style);
        figure.svg().line(x - WHISKER, bottom, x + WHISKER, bottom, style);
    }

    private double smallest() {
        return series.values().stream().flatMap(values -> values.values().stream()).mapToDouble(Interval::mean)
                .filter(mean -> mean > 0).min().orElse(0);
    }

    private double largest() {
        return series.values().stream().flatMap(values -> values.values().stream())
                .mapToDouble(value -> value.mean() + (Double.isNaN(value.half()) ? 0 : value.half())).max().orElse(1);
    }

    private void categoryTexts(Figure figure) {
        int place = 0;
        for (String category : categories) {
            figure.xText(middle(place++), category, slot());
        }
    }

    private double slot() {
        return Figure.plotWidth() / categories.size();
    }

    private double middle(int index) {
        return Figure.LEFT + (index + 0.5) * slot();
    }

    private String tip(String name, String category, Interval value) {
        String spread = Double.isNaN(value.half()) ? ""
                : String.format(Locale.ROOT, " \u00b1%.1f%% of %d", value.percent(), value.n());
        return name + ", " + category + ": " + Figures.number(value.mean()) + " " + unit + spread;
    }
}
