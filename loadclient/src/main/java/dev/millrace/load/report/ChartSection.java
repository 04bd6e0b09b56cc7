package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Percentiles;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The charts of all requests, or of all downloads. With several variants of a server each variant is a series, and lines
 * are drawn in a chart for each condition. With one variant each condition is a series. Confined to one thread.
 */
final class ChartSection {

    /** Conditions that get charts of their own. */
    private static final int MOST_CONDITIONS = 3;

    private static final double MICROS_PER_MILLI = 1000;
    private static final String CLIENTS = "clients";

    private final List<CellResult> results;
    private final SeriesColours colours;
    private final boolean bytes;
    private final boolean severalVariants;
    /** Cells that differ in clients alone, by their condition. */
    private final Map<String, List<Aggregate>> lines = new LinkedHashMap<>();

    private final List<Aggregate> single = new ArrayList<>();
    private final Map<Aggregate, String> singleNames = new LinkedHashMap<>();
    private final StringBuilder page = new StringBuilder();

    private ChartSection(List<CellResult> results, SeriesColours colours) {
        this.results = results;
        this.colours = colours;
        this.bytes = results.get(0).countsBytes();
        List<Aggregate> cells = Aggregate.of(results);
        Set<String> labels = new TreeSet<>(cells.stream().map(Aggregate::label).toList());
        this.severalVariants = labels.size() > 1;
        group(cells);
        List<String> names = new ArrayList<>(severalVariants ? labels : lines.keySet());
        details().forEach(cell -> names.add(seriesName(cell)));
        colours.section(
                names.stream().distinct().filter(name -> !name.isEmpty()).toList());
    }

    /** The charts of these cells; empty without cells. */
    static String of(String heading, List<CellResult> results, SeriesColours colours) {
        return results.isEmpty() ? "" : new ChartSection(results, colours).html(heading);
    }

    /** Tells cells of which several numbers of clients were measured from the others. */
    private void group(List<Aggregate> cells) {
        Map<List<Object>, List<Aggregate>> groups = new LinkedHashMap<>();
        for (Aggregate cell : cells) {
            groups.computeIfAbsent(List.of(cell.label(), without(cell.parameters(), CLIENTS)), key -> new ArrayList<>())
                    .add(cell);
        }
        List<Aggregate> swept = groups.values().stream()
                .filter(group -> group.size() > 1)
                .flatMap(List::stream)
                .toList();
        groups.values().stream().filter(group -> group.size() == 1).forEach(group -> single.add(group.get(0)));
        Set<String> sweptKeys = differing(swept);
        sweptKeys.remove(CLIENTS);
        for (Aggregate cell : swept) {
            lines.computeIfAbsent(name(cell, sweptKeys), key -> new ArrayList<>())
                    .add(cell);
        }
        Set<String> keys = differing(single);
        for (Aggregate cell : single) {
            singleNames.put(cell, keys.isEmpty() ? FigureFormat.cell(cell.parameters()) : name(cell, keys));
        }
    }

    private static Map<String, String> without(Map<String, String> parameters, String key) {
        Map<String, String> rest = new LinkedHashMap<>(parameters);
        rest.remove(key);
        return rest;
    }

    /** The parameters in which cells differ, because names of what all have in common would only be long. */
    private static Set<String> differing(List<Aggregate> cells) {
        Set<String> keys = new LinkedHashSet<>();
        cells.forEach(cell -> keys.addAll(cell.parameters().keySet()));
        keys.removeIf(key -> cells.stream()
                        .map(cell -> Objects.toString(cell.parameters().get(key), ""))
                        .distinct()
                        .count()
                < 2);
        return keys;
    }

    private static String name(Aggregate cell, Set<String> keys) {
        Map<String, String> shown = new LinkedHashMap<>(cell.parameters());
        shown.keySet().retainAll(keys);
        return FigureFormat.cell(shown);
    }

    private String html(String heading) {
        page.append("<h2>").append(heading).append("</h2>\n<div class=\"charts\">\n");
        Cost cost = Cost.of(results);
        figure("Throughput", bytes ? "MB/s" : "requests/s", CellResult::throughput);
        figure(
                bytes ? "Megabytes per second of server CPU" : "Requests per second of server CPU",
                bytes ? "MB" : "requests",
                ChartSection::workPerCpuSecond);
        figure("Server CPU", cost.words(), cost::of);
        figure("Latency, median", "ms", cell -> millis(cell.times().latency(), Percentiles::p50));
        figure("Latency, 99 %", "ms", cell -> millis(cell.times().latency(), Percentiles::p99));
        if (bytes) {
            figure("First body byte, median", "ms", cell -> millis(cell.times().firstByte(), Percentiles::p50));
        }
        Map<String, CellResult> curves = new LinkedHashMap<>();
        for (Aggregate cell : details()) {
            curves.putIfAbsent(seriesName(cell), cell.soundest().get(0));
        }
        String condition = severalVariants ? ", " + detailCondition() : "";
        page.append(DetailCharts.percentiles(condition, curves, colours))
                .append(DetailCharts.series(condition, curves, colours))
                .append("</div>\n");
        if (severalVariants && lines.size() > MOST_CONDITIONS) {
            page.append("<p class=\"missing\">Not drawn over clients, but in the tables: ")
                    .append(Svg.escape(String.join(
                            ", ", lines.keySet().stream().skip(MOST_CONDITIONS).toList())))
                    .append("</p>\n");
        }
        return page.toString();
    }

    private static @Nullable Double millis(
            @Nullable Percentiles times, Function<Percentiles, @Nullable Double> figure) {
        Double micros = FigureFormat.of(times, figure);
        return micros == null ? null : micros / MICROS_PER_MILLI;
    }

    /** Work per second of server CPU, which compares servers best where client and server share cores. */
    private static @Nullable Double workPerCpuSecond(CellResult cell) {
        Double server = cell.cpu().server();
        return server == null || server == 0 ? null : cell.throughput() * cell.windowSeconds() / server;
    }

    /** Adds lines over the number of clients where several were measured, and bars for the other cells. */
    private void figure(String title, String unit, Function<CellResult, @Nullable Double> value) {
        if (severalVariants) {
            lines.entrySet().stream().limit(MOST_CONDITIONS).forEach(one -> {
                String condition = one.getKey().isEmpty() ? "" : ", " + one.getKey();
                lines(title + " by clients" + condition, unit, Map.of("", one.getValue()), value);
            });
        } else if (!lines.isEmpty()) {
            lines(title + " by clients", unit, lines, value);
        }
        Chart bars = new Chart(title, unit, colours);
        for (Aggregate cell : byLabel(single)) {
            bars.add(
                    severalVariants ? cell.label() : "",
                    Objects.requireNonNull(singleNames.get(cell)),
                    cell.interval(value));
        }
        page.append(bars.isEmpty() ? "" : bars.bars());
    }

    private void lines(
            String title,
            String unit,
            Map<String, List<Aggregate>> conditions,
            Function<CellResult, @Nullable Double> value) {
        Chart chart = new Chart(title, unit, colours);
        conditions.forEach((condition, cells) -> byLabel(cells)
                .forEach(cell -> chart.add(
                        severalVariants ? cell.label() : condition,
                        Integer.toString(clients(cell)),
                        cell.interval(value))));
        page.append(chart.isEmpty() ? "" : chart.lines());
    }

    private static List<Aggregate> byLabel(List<Aggregate> cells) {
        return cells.stream()
                .collect(Collectors.groupingBy(Aggregate::label, TreeMap::new, Collectors.toList()))
                .values()
                .stream()
                .flatMap(List::stream)
                .toList();
    }

    /** The cells whose latencies are drawn: of several variants one condition, of one variant all conditions. */
    private List<Aggregate> details() {
        List<List<Aggregate>> all = new ArrayList<>();
        lines.values()
                .forEach(cells -> byLabel(cells).stream()
                        .collect(Collectors.groupingBy(Aggregate::label, LinkedHashMap::new, Collectors.toList()))
                        .values()
                        .forEach(group -> all.add(mostClientsFirst(group))));
        single.forEach(cell -> all.add(List.of(cell)));
        if (severalVariants) {
            String condition = detailCondition();
            return all.stream()
                    .flatMap(List::stream)
                    .filter(cell -> FigureFormat.cell(cell.parameters()).equals(condition))
                    .toList();
        }
        // One server under one condition: a curve for each number of clients.
        return all.size() == 1
                ? all.get(0)
                : all.stream().map(group -> group.get(0)).toList();
    }

    private static List<Aggregate> mostClientsFirst(List<Aggregate> cells) {
        return cells.stream()
                .sorted((a, b) -> Integer.compare(clients(b), clients(a)))
                .toList();
    }

    private static int clients(Aggregate cell) {
        return Integer.parseInt(cell.parameters().getOrDefault(CLIENTS, "0"));
    }

    /** The condition of the first lines with most clients, or that of the first bar. */
    private String detailCondition() {
        List<Aggregate> first =
                lines.isEmpty() ? single : lines.values().iterator().next();
        return FigureFormat.cell(
                (lines.isEmpty() ? first : mostClientsFirst(first)).get(0).parameters());
    }

    private String seriesName(Aggregate cell) {
        if (severalVariants) {
            return cell.label();
        }
        if (singleNames.containsKey(cell)) {
            return singleNames.get(cell);
        }
        return lines.size() == 1 && single.isEmpty()
                ? "c=" + clients(cell)
                : lines.entrySet().stream()
                        .filter(one -> one.getValue().contains(cell))
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElseThrow();
    }
}
