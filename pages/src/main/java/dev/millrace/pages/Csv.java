package dev.millrace.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads comma-separated values (RFC 4180), of which the first record names the columns. Stateless. */
final class Csv {
    /** A record: its fields by the names of their columns. Immutable. */
    record Row(Map<String, String> fields) {
        /** @throws IllegalArgumentException when there is no such column */
        String get(String column) {
            String field = fields.get(column);
            if (field == null) {
                throw new IllegalArgumentException("no column " + column + " in " + fields.keySet());
            }
            return field;
        }
    }

    private Csv() {}

    /**
     * The records of a file.
     *
     * @return all but the first, in their order
     * @throws IllegalArgumentException when a record has more or fewer fields than there are columns
     */
    static List<Row> read(Path file) throws IOException {
        List<List<String>> records = records(Files.readString(file));
        List<String> columns = records.get(0);
        List<Row> rows = new ArrayList<>();
        for (List<String> fields : records.subList(1, records.size())) {
            if (fields.size() != columns.size()) {
                throw new IllegalArgumentException(file + ": " + columns.size() + " columns, but " + fields);
            }
            Map<String, String> row = new LinkedHashMap<>();
            for (int i = 0; i < columns.size(); i++) {
                row.put(columns.get(i), fields.get(i));
            }
            rows.add(new Row(row));
        }
        return rows;
    }

    private static List<List<String>> records(String text) {
        List<List<String>> records = new ArrayList<>();
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted && c == '"' && i + 1 < text.length() && text.charAt(i + 1) == '"') {
                field.append(c);
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (quoted || (c != ',' && c != '\n')) {
                field.append(c);
            } else {
                fields.add(field.toString());
                field.setLength(0);
                if (c == '\n') {
                    records.add(fields);
                    fields = new ArrayList<>();
                }
            }
        }
        if (quoted || field.length() > 0 || !fields.isEmpty()) {
            throw new IllegalArgumentException("the last record does not end: " + fields + field);
        }
        return records;
    }
}
