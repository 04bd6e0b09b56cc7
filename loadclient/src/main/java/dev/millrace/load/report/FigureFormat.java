package dev.millrace.load.report;

import dev.millrace.load.run.Percentiles;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Formats figures as text, the same in every locale. Stateless. */
final class FigureFormat {

    static final String UNKNOWN = "-";
    private static final double MICROS_PER_MILLI = 1000;
    private static final double HUNDRED = 100;
    private static final double TEN = 10;

    private FigureFormat() {}

    /** A number with about three digits: {@code 12,345}, {@code 81.2}, {@code 0.71}; a hyphen for null. */
    static String number(Double value) {
        if (value == null || value.isNaN()) {
            return UNKNOWN;
        }
        double size = Math.abs(value);
        if (size == 0) {
            return "0";
        }
        String format = size >= HUNDRED ? "%,.0f" : size >= TEN ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }

    /** A figure of a distribution; null if the distribution is missing or empty. */
    static Double of(Percentiles times, Function<Percentiles, Double> figure) {
        return times == null || times.count() == 0 ? null : figure.apply(times);
    }

    /** Microseconds as a number of milliseconds. */
    static String millis(Double micros) {
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
