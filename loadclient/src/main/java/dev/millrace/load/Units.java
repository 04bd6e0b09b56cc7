package dev.millrace.load;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Values of options: {@code 10s}, {@code 500ms}, {@code 2m}; {@code 64k}, {@code 1M}. Stateless. */
final class Units {

    private static final Pattern TIME = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m|h)?");
    private static final Pattern SIZE = Pattern.compile("(\\d+)([kKmMgG]?)");
    private static final Map<String, Double> MILLIS = Map.of("ms", 1.0, "s", 1e3, "m", 6e4, "h", 3.6e6);

    private Units() {
    }

    static void register(CommandLine line) {
        line.registerConverter(Duration.class, Units::duration);
        line.registerConverter(ByteSize.class, text -> new ByteSize(bytes(text)));
    }

    /**
     * Bytes, K, M and G being powers of 1024 as curl has them.
     *
     * @param bytes how many
     */
    record ByteSize(long bytes) {
    }

    static Duration duration(String text) {
        Matcher matcher = TIME.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is not a time such as 10s, 500ms or 2m");
        }
        String unit = matcher.group(2) == null ? "s" : matcher.group(2);
        return Duration.ofMillis(Math.round(Double.parseDouble(matcher.group(1)) * MILLIS.get(unit)));
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
        return Long.parseLong(matcher.group(1)) << shift;
    }

    static String oneLine(Throwable failure) {
        String message = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        return message.lines().map(String::strip).filter(line -> !line.isEmpty()).findFirst().orElse(message);
    }
}
