package dev.millrace.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a tool may say of a listener that it does not say of the control. Each is a line of {@code known-differences.txt}: tool, listener,
 * case and reason, with tabs between. {@code *} is any listener: a race that goes the one way or the other, on the control too, and
 * may show no difference.
 */
final class KnownDifferences {
    private final SortedMap<String, String> reasons = new TreeMap<>();

    /** @param lines remarks begin with # */
    KnownDifferences(List<String> lines) {
        for (String line : lines) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] parts = line.split("\t", 4);
                if (parts.length < 4 || parts[3].isBlank()) {
                    throw new IllegalArgumentException("no reason: " + line);
                }
                reasons.put(key(parts[0], parts[1], parts[2]), parts[3]);
            }
        }
    }

    static KnownDifferences load() throws IOException {
        try (InputStream in = KnownDifferences.class.getResourceAsStream("/known-differences.txt")) {
            return new KnownDifferences(new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
        }
    }

    private static String key(String tool, String listener, String name) {
        return tool + " " + listener + " " + name;
    }

    /**
     * Compares what a tool found on each listener with what it found on the control.
     *
     * @param results of each case by its name, by listener
     * @return what is wrong: differences that are not listed, and listed ones that did not occur
     */
    List<String> faults(String tool, Map<String, SortedMap<String, String>> results) {
        List<String> faults = new ArrayList<>();
        SortedMap<String, String> control = results.get(Listeners.CONTROL);
        results.forEach((listener, found) -> {
            SortedMap<String, String> all = new TreeMap<>(control);
            all.putAll(found);
            for (String name : all.keySet()) {
                String ours = found.getOrDefault(name, "none");
                String expected = control.getOrDefault(name, "none");
                boolean isKnown =
                        reasons.containsKey(key(tool, listener, name)) || reasons.containsKey(key(tool, "*", name));
                if (!ours.equals(expected) && !isKnown) {
                    faults.add(key(tool, listener, name) + ": " + ours + ", the control: " + expected);
                }
            }
        });
        for (String key : reasons.keySet()) {
            String[] parts = key.split(" ", 3);
            SortedMap<String, String> found = results.get(parts[1]);
            if (parts[0].equals(tool)
                    && found != null
                    && found.getOrDefault(parts[2], "none").equals(control.getOrDefault(parts[2], "none"))) {
                faults.add(key + ": listed, but no difference");
            }
        }
        return faults;
    }
}
