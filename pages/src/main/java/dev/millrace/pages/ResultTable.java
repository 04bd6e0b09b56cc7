package dev.millrace.pages;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A table in Markdown with one figure in each cell. Its block has a line {@code row:} for each row and {@code column:}
 * for each column but the first. The keys of both name the figure of a cell, those of the row first. {@code show=unit}
 * writes the unit into the cell. {@code of} names a server of whose figure it is a multiple.
 */
final class ResultTable {
    private ResultTable() {}

    static String of(Block block, Results results) {
        List<Block.Line> columns = block.lines("column");
        StringBuilder table = new StringBuilder();
        List<String> heading = new ArrayList<>(List.of(block.text("heading")));
        columns.forEach(column -> heading.add(column.text()));
        table.append(row(heading))
                .append("|---")
                .append("|---:".repeat(columns.size()))
                .append("|\n");
        for (Block.Line row : block.lines("row")) {
            List<String> cells = new ArrayList<>(List.of(row.text()));
            columns.forEach(column -> cells.add(cell(block.keys(column, row), results)));
            if (Collections.frequency(cells, "") == columns.size()) {
                throw new IllegalArgumentException("no figure in the row \"" + row.text() + "\"");
            }
            table.append(row(cells));
        }
        return table.toString();
    }

    static String row(List<String> cells) {
        StringBuilder row = new StringBuilder("|");
        cells.forEach(cell -> row.append(' ').append(cell).append(cell.isEmpty() ? "|" : " |"));
        return row.append('\n').toString();
    }

    private static String cell(Map<String, String> keys, Results results) {
        Optional<Figure> figure = results.find(keys);
        boolean showsUnit = "unit".equals(keys.get("show"));
        return figure.map(found -> showsUnit ? found.shownWithUnit() : found.shown())
                .orElse("");
    }
}
