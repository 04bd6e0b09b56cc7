package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.http.Protocol;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Reads values of options: {@code 10s}, {@code 500ms}, {@code 2m}; {@code 64k}, {@code 1M}; {@code 5%}. Stateless. */
final class Units {

    private static final Pattern TIME = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m|h)?");
    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([kKmMgG]?)");
    private static final long SECOND = 1000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    /** More than a year; sums of such times in nanoseconds fit a long. */
    private static final long LONGEST = 10_000 * HOUR;

    private Units() {}

    static void register(CommandLine line) {
        line.registerConverter(Duration.class, Units::duration);
        line.registerConverter(Protocol.class, Units::protocol);
        line.registerConverter(ByteSize.class, text -> new ByteSize(bytes(text)));
    }

    /**
     * A number of bytes. K, M and G are powers of 1024, as in curl.
     *
     * @param bytes the number
     */
    record ByteSize(long bytes) {}

    /** A protocol; h2 has the name http2 too. */
    private static Protocol protocol(String text) {
        String name = text.toUpperCase(Locale.ROOT);
        try {
            return Protocol.valueOf(name.equals("HTTP2") ? "H2" : name);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + text + "' is not http1, h2 or h2c");
        }
    }

    /** A time in whole milliseconds. */
    static Duration duration(String text) {
        return Duration.ofMillis(Math.round(millis(text)));
    }

    /** A time in milliseconds and parts of them. */
    static double millis(String text) {
        Matcher matcher = TIME.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is not a time such as 10s, 500ms or 2m");
        }
        String unit = matcher.group(2) == null ? "s" : matcher.group(2);
        double millis = Double.parseDouble(matcher.group(1))
                * switch (unit) {
                    case "ms" -> 1;
                    case "s" -> SECOND;
                    case "m" -> MINUTE;
                    default -> HOUR;
                };
        if (millis > LONGEST) {
            throw new TypeConversionException("'" + text + "' is too long, at most 10000h");
        }
        return millis;
    }

    static long bytes(String text) {
        Matcher matcher = SIZE.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is not a size such as 64k or 1M");
        }
        int shift = switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
            case "k" -> 10;
            case "m" -> 20;
            case "g" -> 30;
            default -> 0;
        };
        long number = Long.parseLong(matcher.group(1));
        if (number > Long.MAX_VALUE >> shift) {
            throw new TypeConversionException("'" + text + "' is too large a size");
        }
        return number << shift;
    }

    /**
     * Reads {@code 10} or {@code 10%}.
     *
     * @throws UsageException if it is neither
     */
    static double percent(String option, String text) {
        try {
            double percent = Double.parseDouble(text.strip().replaceFirst("%$", ""));
            require(Double.isFinite(percent), option + " takes per cent, not " + text);
            return percent;
        } catch (NumberFormatException e) {
            throw new UsageException(option + " takes per cent, not " + text, e);
        }
    }
}
