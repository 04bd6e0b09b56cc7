package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Draws charts of single cells: distribution of latency, and throughput second by second. Stateless. */
final class DetailCharts {

    /** There are eight colours, and lines of the same colour cannot be told apart. */
    private static final int MOST_LINES = 8;

    private static final double[] PERCENTILES = {0, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.9, 99.95, 99.99};
    private static final double[] MARKED = {0, 50, 90, 99, 99.9, 99.99};
    private static final double NANOS_PER_MILLI = 1e6;
    private static final int LEAST_SECONDS = 3;

    private DetailCharts() {}

    /** Latency by percentile, with a stretched tail. Cells with most clients come first. */
    static String percentiles(List<CellResult> cells) {
        Map<String, Histogram> curves = new LinkedHashMap<>();
        cells.stream()
                .filter(cell ->
                        !cell.histogram().isEmpty() && cell.times().latency().count() > 0 && cell.repetition() == 0)
                .sorted((a, b) -> Integer.compare(clients(b), clients(a)))
                .limit(MOST_LINES)
                .forEach(cell -> curves.put(ResultLine.name(cell), cell.latencies()));
        if (curves.isEmpty()) {
            return "";
        }
        double largest = curves.values().stream()
                .mapToDouble(curve -> at(curve, 99.99))
                .max()
                .orElse(1);
        double smallest = curves.values().stream()
                .mapToDouble(curve -> at(curve, 0))
                .min()
                .orElse(0);
        ChartFrame frame = new ChartFrame("Latency by percentile", "ms", smallest, largest);
        for (double mark : MARKED) {
            frame.xText(
                    x(mark),
                    mark == 0
                            ? "min"
                            : BigDecimal.valueOf(mark).stripTrailingZeros().toPlainString() + " %");
        }
        int colour = 0;
        for (Map.Entry<String, Histogram> curve : curves.entrySet()) {
            StringBuilder points = new StringBuilder();
            for (double percentile : PERCENTILES) {
                points.append(Svg.point(x(percentile), frame.y(at(curve.getValue(), percentile))));
            }
            frame.svg().polyline(points.toString().strip(), ChartFrame.stroke(colour++));
        }
        return frame.done(new ArrayList<>(curves.keySet()));
    }

    private static double at(Histogram curve, double percentile) {
        return curve.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    /** Horizontal place of a percentile: 0, 90, 99, 99.9 and 99.99 per cent have equal distances. */
    private static double x(double percentile) {
        return ChartFrame.LEFT + ChartFrame.plotWidth() * Math.log10(100 / (100 - percentile)) / 4.2 + 10;
    }

    private static int clients(CellResult cell) {
        String clients = cell.parameters().get("clients");
        return clients == null ? 0 : Integer.parseInt(clients);
    }

    /** Throughput in each second, with a shaded warm-up. */
    static String series(List<CellResult> cells) {
        List<CellResult> shown = cells.stream()
                .filter(cell -> seconds(cell).size() >= LEAST_SECONDS)
                .limit(MOST_LINES)
                .toList();
        if (shown.isEmpty()) {
            return "";
        }
        boolean bytes = shown.get(0).countsBytes();
        int longest =
                shown.stream().mapToInt(cell -> seconds(cell).size()).max().orElse(1);
        double largest = shown.stream()
                .flatMap(cell -> seconds(cell).stream())
                .mapToDouble(Long::doubleValue)
                .max()
                .orElse(1);
        double scale = bytes ? 1e6 : 1;
        ChartFrame frame =
                new ChartFrame("Second by second, warm-up shaded", bytes ? "MB/s" : "requests/s", 0, largest / scale);
        double step = ChartFrame.plotWidth() / Math.max(1, longest);
        int warmup = bytes ? 0 : shown.get(0).series().warmup().size();
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
        List<String> names = new ArrayList<>();
        for (CellResult cell : shown) {
            StringBuilder points = new StringBuilder();
            List<Long> values = seconds(cell);
            for (int i = 0; i < values.size(); i++) {
                points.append(Svg.point(ChartFrame.LEFT + (i + 0.5) * step, frame.y(values.get(i) / scale)));
            }
            frame.svg().polyline(points.toString().strip(), ChartFrame.stroke(names.size()));
            names.add(ResultLine.name(cell) + (cell.repetition() == 0 ? "" : " #" + (cell.repetition() + 1)));
        }
        frame.xText(ChartFrame.LEFT, "0 s");
        frame.xText(ChartFrame.LEFT + ChartFrame.plotWidth() - 10, longest + " s");
        return frame.done(names);
    }

    private static List<Long> seconds(CellResult cell) {
        if (cell.countsBytes()) {
            return cell.series().bytes();
        }
        List<Long> all = new ArrayList<>(cell.series().warmup());
        all.addAll(cell.series().requests());
        return all;
    }
}
