package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Percentiles;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** Draws charts of single cells: distribution of latency, and throughput second by second. Stateless. */
final class DetailCharts {

    private static final double[] PERCENTILES = {0, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.9, 99.95, 99.99};
    private static final double[] MARKED = {0, 90, 99, 99.9, 99.99};
    private static final String[] MARKS = {"min", "90 %", "99 %", "99.9", "99.99"};
    private static final double NANOS_PER_MILLI = 1e6;
    private static final int LEAST_SECONDS = 3;
    /** Powers of ten that the horizontal scale of percentiles has room for. */
    private static final double POWERS = 4.4;

    private static final int INSET = 10;

    private DetailCharts() {}

    /**
     * Latency by percentile, with a stretched tail. A line ends where its cell has too few answers.
     *
     * @param condition what all cells have in common
     * @param cells     a cell for each series
     */
    static String percentiles(String condition, Map<String, CellResult> cells, SeriesColours colours) {
        Map<String, Histogram> curves = new LinkedHashMap<>();
        cells.forEach((name, cell) -> {
            if (!cell.histogram().isEmpty() && cell.times().latency().count() > 0) {
                curves.put(name, cell.latencies());
            }
        });
        if (curves.isEmpty()) {
            return "";
        }
        double largest = curves.values().stream()
                .mapToDouble(curve -> at(curve, knownPercentiles(curve).max().orElse(0)))
                .max()
                .orElse(1);
        double smallest = curves.values().stream()
                .mapToDouble(curve -> at(curve, 0))
                .min()
                .orElse(0);
        ChartFrame frame = new ChartFrame("Latency by percentile" + condition, "ms", smallest, largest);
        for (int i = 0; i < MARKED.length; i++) {
            frame.xText(x(MARKED[i]), MARKS[i]);
        }
        curves.forEach((name, curve) -> {
            StringBuilder points = new StringBuilder();
            knownPercentiles(curve)
                    .forEach(percentile -> points.append(Svg.point(x(percentile), frame.y(at(curve, percentile)))));
            line(frame, name, points, colours);
        });
        return frame.done(List.copyOf(curves.keySet()), colours);
    }

    /** Draws a series, unless there is no colour left for it. */
    private static void line(ChartFrame frame, String name, StringBuilder points, SeriesColours colours) {
        if (colours.of(name) != null) {
            frame.svg().polyline(points.toString().strip(), "s" + colours.of(name));
        }
    }

    private static DoubleStream knownPercentiles(Histogram curve) {
        return Arrays.stream(PERCENTILES).filter(percentile -> Percentiles.isKnown(percentile, curve.getTotalCount()));
    }

    private static double at(Histogram curve, double percentile) {
        return curve.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    /** Horizontal place of a percentile: 0, 90, 99, 99.9 and 99.99 per cent have equal distances. */
    private static double x(double percentile) {
        return ChartFrame.LEFT + ChartFrame.plotWidth() * Math.log10(100 / (100 - percentile)) / POWERS + INSET;
    }

    /** Throughput in each second, with a shaded warm-up. */
    static String series(String condition, Map<String, CellResult> cells, SeriesColours colours) {
        Map<String, CellResult> shown = new LinkedHashMap<>(cells);
        shown.values().removeIf(cell -> seconds(cell).size() < LEAST_SECONDS);
        if (shown.isEmpty()) {
            return "";
        }
        CellResult first = shown.values().iterator().next();
        double scale = first.countsBytes() ? 1e6 : 1;
        int longest = shown.values().stream()
                .mapToInt(cell -> seconds(cell).size())
                .max()
                .orElse(1);
        double largest = shown.values().stream()
                .flatMap(cell -> seconds(cell).stream())
                .mapToDouble(Long::doubleValue)
                .max()
                .orElse(1);
        ChartFrame frame = new ChartFrame(
                "Second by second" + condition,
                (first.countsBytes() ? "MB/s" : "requests/s") + ", warm-up shaded",
                0,
                largest / scale);
        double step = ChartFrame.plotWidth() / longest;
        shadeWarmup(frame, first, step);
        shown.forEach((name, cell) -> {
            StringBuilder points = new StringBuilder();
            List<Long> values = seconds(cell);
            for (int i = 0; i < values.size(); i++) {
                points.append(Svg.point(ChartFrame.LEFT + (i + 0.5) * step, frame.y(values.get(i) / scale)));
            }
            line(frame, name, points, colours);
        });
        frame.xText(ChartFrame.LEFT, "0 s");
        frame.xText(ChartFrame.LEFT + ChartFrame.plotWidth() - INSET, longest + " s");
        return frame.done(List.copyOf(shown.keySet()), colours);
    }

    private static void shadeWarmup(ChartFrame frame, CellResult cell, double step) {
        int warmup = cell.countsBytes() ? 0 : cell.series().warmup().size();
        if (warmup > 0) {
            frame.svg()
                    .bar(
                            ChartFrame.LEFT,
                            ChartFrame.top(),
                            warmup * step,
                            ChartFrame.bottom() - ChartFrame.top(),
                            "shade",
                            "warm-up");
        }
    }

    private static List<Long> seconds(CellResult cell) {
        if (cell.countsBytes()) {
            return cell.series().bytes();
        }
        return Stream.concat(cell.series().warmup().stream(), cell.series().requests().stream())
                .toList();
    }
}
