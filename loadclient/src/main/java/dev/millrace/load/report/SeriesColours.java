package dev.millrace.load.report;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The colours of the series of one page. A series has the same colour in all charts, and within a section no other
 * series has it. There are as many colours as people can tell apart. Confined to one thread.
 */
final class SeriesColours {

    /** Number of colours in the style sheet. */
    static final int COUNT = 6;
    /** The name of a series that needs none, because it is alone. */
    static final String UNNAMED = "";

    private static final String NEUTRAL = "n";

    private final Map<String, Integer> known = new HashMap<>();
    private final Set<String> inSection = new HashSet<>();

    /** Begins a section with these series. The first ones get colours if there are not enough. */
    void section(List<String> names) {
        inSection.clear();
        Set<Integer> taken = new HashSet<>();
        for (String name : names) {
            if (known.containsKey(name) && taken.add(known.get(name))) {
                inSection.add(name);
            }
        }
        for (String name : names) {
            for (int colour = 0; colour < COUNT && !known.containsKey(name); colour++) {
                if (taken.add(colour)) {
                    known.put(name, colour);
                    inSection.add(name);
                }
            }
        }
    }

    /** The end of the names of the style sheet's classes for a series; null if no colour was left for it. */
    @Nullable String of(String name) {
        if (name.equals(UNNAMED)) {
            return NEUTRAL;
        }
        Integer colour = known.get(name);
        return colour != null && inSection.contains(name) ? colour.toString() : null;
    }
}
