package dev.millrace.load.report;

import dev.millrace.load.run.Percentiles;
import java.math.BigDecimal;
import java.math.MathContext;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats figures as text, the same in every locale. Stateless. */
final class FigureFormat {

    static final String UNKNOWN = "-";
    private static final double MICROS_PER_MILLI = 1000;
    private static final double HUNDRED = 100;
    private static final double TEN = 10;
    private static final double LEAST_WITH_TWO_DECIMALS = 0.095;
    private static final double LEAST = 0.0001;
    private static final String BELOW_LEAST = "<0.0001";
    private static final MathContext TWO_DIGITS = new MathContext(2);
    private static final double LEAST_SHORT = 10_000;
    private static final String[] PREFIXES = {"", "k", "M", "G", "T"};
    private static final double THOUSAND = 1000;

    private FigureFormat() {}

    /** A number with about three digits: {@code 12,345}, {@code 81.2}, {@code 0.71}; a hyphen for null. */
    static String number(@Nullable Double value) {
        if (value == null || value.isNaN() || value.isInfinite()) {
            return UNKNOWN;
        }
        double size = Math.abs(value);
        if (size == 0) {
            return "0";
        }
        if (size < LEAST_WITH_TWO_DECIMALS) {
            return size < LEAST
                    ? BELOW_LEAST
                    : BigDecimal.valueOf(value).round(TWO_DIGITS).toPlainString();
        }
        String format = size >= HUNDRED ? "%,.0f" : size >= TEN ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }

    /** A number on an axis, which is short whatever its size: {@code 5,000}, {@code 20k}, {@code 1.5M}. */
    static String tick(double value) {
        if (value != 0 && Math.abs(value) < 1) {
            return BigDecimal.valueOf(value)
                    .round(TWO_DIGITS)
                    .stripTrailingZeros()
                    .toPlainString();
        }
        double scaled = value;
        int prefix = 0;
        while (Math.abs(value) >= LEAST_SHORT && Math.abs(scaled) >= THOUSAND && prefix < PREFIXES.length - 1) {
            scaled /= THOUSAND;
            prefix++;
        }
        return new DecimalFormat("#,##0.##", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(scaled)
                + PREFIXES[prefix];
    }

    /** The width of an interval: {@code  ±1.5%}; nothing if it is unknown, or the mean is 0. */
    static String spread(Interval interval) {
        return Double.isFinite(interval.percent())
                ? String.format(Locale.ROOT, " \u00b1%.1f%%", interval.percent())
                : "";
    }

    /** A figure of a distribution; null if the distribution is missing or empty, or has too few values for it. */
    static @Nullable Double of(@Nullable Percentiles times, Function<Percentiles, @Nullable Double> figure) {
        return times == null || times.count() == 0 ? null : figure.apply(times);
    }

    /** Microseconds as a number of milliseconds. */
    static String millis(@Nullable Double micros) {
        return number(micros == null ? null : micros / MICROS_PER_MILLI);
    }

    /** The short form of a cell's parameters: {@code c=8 GET ka=on n=1}. */
    static String cell(Map<String, String> parameters) {
        return parameters.entrySet().stream().map(FigureFormat::parameter).collect(Collectors.joining(" "));
    }

    private static String parameter(Map.Entry<String, String> parameter) {
        return switch (parameter.getKey()) {
            case "clients" -> "c=" + parameter.getValue();
            case "keepalive" -> "ka=" + parameter.getValue();
            case "count" -> "n=" + parameter.getValue();
            case "rate" -> "R=" + parameter.getValue();
            case "streams" -> "m=" + parameter.getValue();
            case "protocol", "method", "uuid", "file", "url" -> parameter.getValue();
            default -> parameter.getKey() + "=" + parameter.getValue();
        };
    }
}
