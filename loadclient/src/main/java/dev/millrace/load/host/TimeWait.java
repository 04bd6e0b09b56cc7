package dev.millrace.load.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sockets of this machine that rest in TIME_WAIT, from {@code /proc/net/sockstat}. Stateless. */
public final class TimeWait {

    private static final Pattern COUNT = Pattern.compile("^TCP:.* tw (\\d+)", Pattern.MULTILINE);

    private TimeWait() {
    }

    /** How many there are; empty where there is no {@code /proc}. */
    public static OptionalInt sockets() {
        try {
            Matcher matcher = COUNT.matcher(String.join("\n", Files.readAllLines(Path.of("/proc/net/sockstat"))));
            return matcher.find() ? OptionalInt.of(Integer.parseInt(matcher.group(1))) : OptionalInt.empty();
        } catch (IOException ignored) {
            // Not Linux: there is nothing to wait for that could be seen.
            return OptionalInt.empty();
        }
    }
}
