package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One table with the variants of a server side by side, the last one being the control. Stateless. */
public final class ComparisonTable {

    private static final int NAME_WIDTH = 26;
    private static final int COLUMN_WIDTH = 18;

    private ComparisonTable() {
    }

    /**
     * The table: a row for each set of settings, two figures for each variant, and each variant's ratio to the last
     * one.
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
                    rows.computeIfAbsent(cell.parameters(), key -> new LinkedHashMap<>()).put(cell.label(), cell);
                }
            }
            if (!rows.isEmpty()) {
                heading(table, labels, bytes);
                rows.forEach((parameters, row) -> row(table, parameters, row, labels));
            }
        }
        return table.append("x: ratio to ").append(labels.get(labels.size() - 1))
                .append(", throughput / server CPU\n").toString();
    }

    private static void heading(StringBuilder table, List<String> labels, boolean bytes) {
        table.append(pad(bytes ? "downloads" : "UUID requests", NAME_WIDTH));
        for (String label : labels) {
            table.append(String.format(Locale.ROOT, "%" + COLUMN_WIDTH + "s", label));
        }
        for (String label : labels.subList(0, labels.size() - 1)) {
            table.append(String.format(Locale.ROOT, "%16s", label + " x"));
        }
        table.append('\n').append(pad("", NAME_WIDTH));
        for (int i = 0; i < labels.size(); i++) {
            table.append(String.format(Locale.ROOT, "%10s%8s", bytes ? "MB/s" : "req/s", bytes ? "ms/GB" : "us/req"));
        }
        table.append('\n');
    }

    private static void row(StringBuilder table, Map<String, String> parameters, Map<String, CellResult> row,
                            List<String> labels) {
        table.append(pad(Figures.cell(shown(parameters)), NAME_WIDTH));
        for (String label : labels) {
            CellResult cell = row.get(label);
            table.append(String.format(Locale.ROOT, "%10s%8s", Figures.number(rate(cell)), Figures.number(cost(cell))));
        }
        CellResult control = row.get(labels.get(labels.size() - 1));
        for (String label : labels.subList(0, labels.size() - 1)) {
            CellResult cell = row.get(label);
            table.append(String.format(Locale.ROOT, "%9s /%5s", ratio(rate(cell), rate(control)),
                    ratio(cost(cell), cost(control))));
        }
        table.append('\n');
    }

    /** Without what is the same in all rows. */
    private static Map<String, String> shown(Map<String, String> parameters) {
        Map<String, String> shown = new LinkedHashMap<>(parameters);
        shown.remove("uuid");
        shown.remove("count", "1");
        if (shown.containsKey("file")) {
            shown.remove("keepalive", "on");
        }
        return shown;
    }

    private static Double rate(CellResult cell) {
        return cell == null ? null : cell.countsBytes() ? (Double) cell.megabytesPerSecond()
                : (Double) cell.requestsPerSecond();
    }

    private static Double cost(CellResult cell) {
        return cell == null ? null : cell.countsBytes() ? cell.serverMillisPerGigabyte()
                : cell.serverMicrosPerRequest();
    }

    private static String ratio(Double value, Double control) {
        return value == null || control == null || control == 0 ? Figures.UNKNOWN
                : String.format(Locale.ROOT, "%.2f", value / control);
    }

    private static String pad(String text, int width) {
        return String.format(Locale.ROOT, "%-" + width + "s", text);
    }
}
