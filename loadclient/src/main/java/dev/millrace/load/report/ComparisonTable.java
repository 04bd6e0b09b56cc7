package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a table with the variants of a server side by side. The last variant is the control. Stateless. */
public final class ComparisonTable {

    private static final int NAME_WIDTH = 26;
    private static final int COLUMN_WIDTH = 18;

    private ComparisonTable() {}

    /**
     * The table: a row for each set of parameters, two figures for each variant, and its ratios to the control.
     *
     * @param cells  results whose labels are the variants' names
     * @param labels variants in the order of the columns
     */
    public static String of(List<CellResult> cells, List<String> labels) {
        StringBuilder table = new StringBuilder();
        for (boolean bytes : new boolean[] {false, true}) {
            Map<Map<String, String>, Map<String, CellResult>> rows = new LinkedHashMap<>();
            for (CellResult cell : cells) {
                if (cell.countsBytes() == bytes) {
                    rows.computeIfAbsent(cell.parameters(), key -> new LinkedHashMap<>())
                            .put(cell.label(), cell);
                }
            }
            if (!rows.isEmpty()) {
                Cost cost = Cost.of(cells.stream()
                        .filter(cell -> cell.countsBytes() == bytes)
                        .toList());
                heading(table, labels, bytes, cost);
                rows.forEach((parameters, row) -> row(table, parameters, row, labels, cost));
            }
        }
        return table.toString();
    }

    private static void heading(StringBuilder table, List<String> labels, boolean bytes, Cost cost) {
        table.append(pad(bytes ? "downloads" : "UUID requests", NAME_WIDTH));
        for (String label : labels) {
            table.append(String.format(Locale.ROOT, "%" + COLUMN_WIDTH + "s", label));
        }
        List<String> compared = labels.subList(0, labels.size() - 1);
        compared.forEach(label -> table.append(pairs(label + " / " + labels.get(labels.size() - 1))));
        table.append('\n').append(pad("", NAME_WIDTH));
        for (int i = 0; i < labels.size(); i++) {
            table.append(String.format(Locale.ROOT, "%10s%8s", bytes ? "MB/s" : "req/s", cost.label()));
        }
        compared.forEach(label -> table.append(pair(bytes ? "MB/s" : "req/s", "CPU")));
        table.append('\n');
    }

    private static void row(
            StringBuilder table,
            Map<String, String> parameters,
            Map<String, CellResult> row,
            List<String> labels,
            Cost cost) {
        table.append(pad(FigureFormat.cell(shown(parameters)), NAME_WIDTH));
        for (String label : labels) {
            CellResult cell = row.get(label);
            table.append(String.format(
                    Locale.ROOT,
                    "%10s%8s",
                    FigureFormat.number(throughput(cell)),
                    FigureFormat.number(cost(cost, cell))));
        }
        CellResult control = row.get(labels.get(labels.size() - 1));
        for (String label : labels.subList(0, labels.size() - 1)) {
            CellResult cell = row.get(label);
            table.append(
                    pair(ratio(throughput(cell), throughput(control)), ratio(cost(cost, cell), cost(cost, control))));
        }
        table.append('\n');
    }

    /** The parameters that differ between rows. */
    private static Map<String, String> shown(Map<String, String> parameters) {
        Map<String, String> shown = new LinkedHashMap<>(parameters);
        shown.remove("uuid");
        shown.remove("count", "1");
        if (shown.containsKey("file")) {
            shown.remove("keepalive", "on");
        }
        return shown;
    }

    private static @Nullable Double throughput(@Nullable CellResult cell) {
        return cell == null ? null : (Double) cell.throughput();
    }

    private static @Nullable Double cost(Cost unit, @Nullable CellResult cell) {
        return cell == null ? null : unit.of(cell);
    }

    private static String ratio(@Nullable Double value, @Nullable Double control) {
        return value == null || control == null || control == 0
                ? FigureFormat.UNKNOWN
                : String.format(Locale.ROOT, "%.2f", value / control);
    }

    private static String pairs(String label) {
        return String.format(Locale.ROOT, "%16s", label);
    }

    private static String pair(String throughput, String cpu) {
        return String.format(Locale.ROOT, "%9s%7s", throughput, cpu);
    }

    private static String pad(String text, int width) {
        return String.format(Locale.ROOT, "%-" + width + "s", text);
    }
}
