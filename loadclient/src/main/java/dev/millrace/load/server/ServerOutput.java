package dev.millrace.load.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server says of itself: its listeners, and its last line. Only the beginning of a line is kept, because a line
 * may have no end. Used by one thread.
 */
final class ServerOutput {

    private static final Pattern READY = Pattern.compile("(?:(\\w+) )?listening on (http://\\S+)");
    private static final int MOST_LINE_CHARS = 1000;

    private final Map<String, String> listeners = new LinkedHashMap<>();
    private final StringBuilder line = new StringBuilder();
    private String lastLine = "it printed nothing";

    /** Takes the next characters. */
    void take(char[] chunk, int count) {
        for (int i = 0; i < count; i++) {
            if (chunk[i] == '\n') {
                endLine();
            } else if (line.length() < MOST_LINE_CHARS) {
                line.append(chunk[i]);
            }
        }
    }

    private void endLine() {
        lastLine = line.toString();
        line.setLength(0);
        Matcher ready = READY.matcher(lastLine);
        if (ready.find()) {
            listeners.put(ready.group(1) == null ? "" : ready.group(1), ready.group(2));
        }
    }

    /** The URLs of the listeners so far, by name. */
    Map<String, String> listeners() {
        return listeners;
    }

    /** The last line, whole or not. */
    String lastLine() {
        return line.isEmpty() ? lastLine : line.toString();
    }
}
