package dev.millrace.load.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Values by category and series, drawn as lines or as bars. Categories stand at equal distances, which suits client
 * counts that grow by factors. Confined to one thread.
 */
final class Chart {

    private static final int WIDTH = 720;
    private static final int HEIGHT = 300;
    private static final int LEFT = 64;
    private static final int RIGHT = 12;
    private static final int TOP = 14;
    private static final int BOTTOM = 34;
    private static final int COLOURS = 8;
    private static final double BAR_SHARE = 0.76;

    private final String title;
    private final String unit;
    private final Set<String> categories = new LinkedHashSet<>();
    private final Map<String, Map<String, Double>> series = new LinkedHashMap<>();

    Chart(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    /** Adds a value; null is left out. */
    void add(String name, String category, Double value) {
        if (value != null && !value.isNaN()) {
            categories.add(category);
            series.computeIfAbsent(name, key -> new LinkedHashMap<>()).put(category, value);
        }
    }

    boolean isEmpty() {
        return series.isEmpty();
    }

    String lines() {
        Svg svg = new Svg(WIDTH, HEIGHT, title);
        Axis axis = frame(svg);
        List<String> places = new ArrayList<>(categories);
        int colour = 0;
        for (Map.Entry<String, Map<String, Double>> one : series.entrySet()) {
            StringBuilder points = new StringBuilder();
            for (int i = 0; i < places.size(); i++) {
                Double value = one.getValue().get(places.get(i));
                if (value != null) {
                    points.append(Svg.point(middle(i), axis.y(value)));
                }
            }
            svg.polyline(points.toString().strip(), "s" + colour % COLOURS);
            for (int i = 0; i < places.size(); i++) {
                Double value = one.getValue().get(places.get(i));
                if (value != null) {
                    svg.dot(middle(i), axis.y(value), "f" + colour % COLOURS, tip(one.getKey(), places.get(i), value));
                }
            }
            colour++;
        }
        return figure(svg.done());
    }

    String bars() {
        Svg svg = new Svg(WIDTH, HEIGHT, title);
        Axis axis = frame(svg);
        List<String> places = new ArrayList<>(categories);
        double width = slot() * BAR_SHARE / series.size();
        int colour = 0;
        for (Map.Entry<String, Map<String, Double>> one : series.entrySet()) {
            for (int i = 0; i < places.size(); i++) {
                Double value = one.getValue().get(places.get(i));
                if (value != null) {
                    double x = middle(i) - slot() * BAR_SHARE / 2 + colour * width;
                    svg.bar(x, axis.y(value), Math.max(1, width - 1), axis.y(0) - axis.y(value),
                            "f" + colour % COLOURS, tip(one.getKey(), places.get(i), value));
                }
            }
            colour++;
        }
        return figure(svg.done());
    }

    private Axis frame(Svg svg) {
        double largest = series.values().stream().flatMap(values -> values.values().stream())
                .mapToDouble(Double::doubleValue).max().orElse(1);
        Axis axis = new Axis(largest, TOP, HEIGHT - BOTTOM);
        for (double tick : axis.ticks()) {
            svg.line(LEFT, axis.y(tick), WIDTH - RIGHT, axis.y(tick), "grid");
            svg.text(LEFT - 6, axis.y(tick) + 4, "end", Figures.number(tick));
        }
        int i = 0;
        for (String category : categories) {
            svg.text(middle(i++), HEIGHT - BOTTOM + 18, "middle", category);
        }
        return axis;
    }

    private double slot() {
        return (double) (WIDTH - LEFT - RIGHT) / categories.size();
    }

    private double middle(int index) {
        return LEFT + (index + 0.5) * slot();
    }

    private String tip(String name, String category, double value) {
        return name + ", " + category + ": " + Figures.number(value) + " " + unit;
    }

    private String figure(String picture) {
        StringBuilder legend = new StringBuilder();
        int colour = 0;
        for (String name : series.keySet()) {
            legend.append("<span class=\"key\"><i class=\"b").append(colour++ % COLOURS).append("\"></i>")
                    .append(Svg.escape(name)).append("</span>\n");
        }
        return "<figure><figcaption>" + Svg.escape(title) + " <small>(" + Svg.escape(unit) + ")</small></figcaption>\n"
                + picture + "<p class=\"legend\">" + legend + "</p></figure>\n";
    }
}
