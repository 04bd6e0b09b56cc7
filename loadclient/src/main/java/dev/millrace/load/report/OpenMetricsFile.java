package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Percentiles;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes results in the text format of OpenMetrics 1.0, which Prometheus and other collectors read. Each repetition of a
 * cell is a sample of its own; figures that are not known have none. Stateless.
 */
public final class OpenMetricsFile {

    private static final double MICROS = 1e6;
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final Map<String, Function<Percentiles, @Nullable Double>> QUANTILES = quantiles();

    private final List<CellResult> cells;
    private final StringBuilder text = new StringBuilder();

    private OpenMetricsFile(List<CellResult> cells) {
        this.cells = cells;
    }

    private static Map<String, Function<Percentiles, @Nullable Double>> quantiles() {
        Map<String, Function<Percentiles, @Nullable Double>> all = new LinkedHashMap<>();
        all.put("0.5", Percentiles::p50);
        all.put("0.9", Percentiles::p90);
        all.put("0.99", Percentiles::p99);
        all.put("0.999", Percentiles::p999);
        all.put("1", Percentiles::max);
        return all;
    }

    /** The text. */
    public static String of(List<CellResult> cells) {
        return new OpenMetricsFile(cells).text();
    }

    private String text() {
        gauge("loadclient_window_seconds", "seconds", "Length of the window.", CellResult::windowSeconds);
        gauge(
                "loadclient_requests_per_second",
                "",
                "Verified answers in each second of the window.",
                CellResult::requestsPerSecond);
        gauge(
                "loadclient_throughput_bytes",
                "bytes",
                "Body bytes in each second of the window.",
                cell -> cell.megabytesPerSecond() * BYTES_PER_MEGABYTE);
        gauge(
                "loadclient_server_cpu_seconds",
                "seconds",
                "The server's CPU time for each verified answer.",
                cell -> scaled(cell.serverMicrosPerRequest()));
        gauge(
                "loadclient_client_cpu_seconds",
                "seconds",
                "The client's CPU time for each verified answer.",
                cell -> scaled(cell.clientMicrosPerRequest()));
        gauge("loadclient_valid", "", "Whether the figures can be trusted: 1 or 0.", cell -> cell.valid() ? 1.0 : 0.0);
        latency();
        family(
                "loadclient_requests",
                "counter",
                "",
                "Verified answers in the window.",
                (cell, labels) -> sample("loadclient_requests_total", labels, (double)
                        cell.counts().requests()));
        family(
                "loadclient_errors",
                "counter",
                "",
                "Failures in the whole cell.",
                (cell, labels) -> sample("loadclient_errors_total", labels, (double) cell.errorCount()));
        family(
                "loadclient_errors_by_kind",
                "counter",
                "",
                "Failures of one kind.",
                (cell, labels) -> cell.errors()
                        .forEach((kind, failures) ->
                                sample("loadclient_errors_by_kind_total", labels + label("kind", kind), (double)
                                        failures.count())));
        return text.append("# EOF\n").toString();
    }

    private void latency() {
        family("loadclient_latency_seconds", "summary", "seconds", "Latency in the window.", (cell, labels) -> {
            Percentiles latency = cell.times().latency();
            if (latency.count() > 0) {
                QUANTILES.forEach((quantile, figure) -> sample(
                        "loadclient_latency_seconds",
                        labels + label("quantile", quantile),
                        scaled(figure.apply(latency))));
                sample("loadclient_latency_seconds_sum", labels, latency.mean() * latency.count() / MICROS);
            }
            sample("loadclient_latency_seconds_count", labels, (double) latency.count());
        });
    }

    private void gauge(String name, String unit, String help, Function<CellResult, Double> figure) {
        family(name, "gauge", unit, help, (cell, labels) -> sample(name, labels, figure.apply(cell)));
    }

    private void family(String name, String type, String unit, String help, BiConsumer<CellResult, String> samples) {
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        if (!unit.isEmpty()) {
            text.append("# UNIT ").append(name).append(' ').append(unit).append('\n');
        }
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        cells.forEach(cell -> samples.accept(cell, labels(cell)));
    }

    private void sample(String name, String labels, @Nullable Double value) {
        if (value != null) {
            text.append(name)
                    .append('{')
                    .append(labels.substring(1))
                    .append("} ")
                    .append(String.format(Locale.ROOT, "%.9g", value))
                    .append('\n');
        }
    }

    /** Each label begins with a comma. */
    private static String labels(CellResult cell) {
        return label("variant", cell.label())
                + label("repetition", Integer.toString(cell.repetition()))
                + cell.parameters().entrySet().stream()
                        .map(one -> label(one.getKey().replaceAll("\\W", "_"), one.getValue()))
                        .collect(Collectors.joining());
    }

    private static String label(String name, String value) {
        String escaped = value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        return "," + name + "=\"" + escaped + '"';
    }

    private static @Nullable Double scaled(@Nullable Double micros) {
        return micros == null ? null : micros / MICROS;
    }
}
