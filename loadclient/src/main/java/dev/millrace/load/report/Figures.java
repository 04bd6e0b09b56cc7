package dev.millrace.load.report;

import dev.millrace.load.run.Percentiles;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Figures as text, the same in every locale. Stateless. */
final class Figures {

    static final String UNKNOWN = "-";
    private static final double MICROS_PER_MILLI = 1000;
    private static final double HUNDRED = 100;
    private static final double TEN = 10;

    private Figures() {
    }

    /** About three digits: {@code 12,345}, {@code 81.2}, {@code 0.71}; a hyphen for null. */
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

    /** A figure of a distribution; null if there is none, or it is one of nothing. */
    static Double of(Percentiles times, Function<Percentiles, Double> figure) {
        return times == null || times.count() == 0 ? null : figure.apply(times);
    }

    /** Microseconds shown as milliseconds. */
    static String millis(Double micros) {
        return number(micros == null ? null : micros / MICROS_PER_MILLI);
    }

    /** The short form of a cell's settings, {@code c=8 GET ka=on n=1}. */
    static String cell(Map<String, String> parameters) {
        return parameters.entrySet().stream().map(Figures::parameter).collect(Collectors.joining(" "));
    }

    private static String parameter(Map.Entry<String, String> parameter) {
        return switch (parameter.getKey()) {
            case "clients" -> "c=" + parameter.getValue();
            case "keepalive" -> "ka=" + parameter.getValue();
            case "count" -> "n=" + parameter.getValue();
            case "rate" -> "R=" + parameter.getValue();
            case "method", "uuid", "file" -> parameter.getValue();
            default -> parameter.getKey() + "=" + parameter.getValue();
        };
    }
}
