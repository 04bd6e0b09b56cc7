package dev.millrace.load.cli;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Percentiles;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * A condition under which a run fails, such as {@code p99>50ms}. Immutable.
 *
 * @param text   the user's form
 * @param metric name of the figure
 * @param above  whether the figure must not be above the bound; otherwise not below
 * @param bound  in the unit of the figure: microseconds for times, a number otherwise
 */
record Gate(String text, String metric, boolean above, double bound) {

    private static final Pattern FORM = Pattern.compile("\\s*(\\w+)\\s*([<>])\\s*(\\d+(?:\\.\\d+)?)\\s*(\\w*)\\s*");
    private static final String MAX = "max";
    private static final Map<String, Function<Percentiles, @Nullable Double>> TIMES = Map.of(
            "p50",
            Percentiles::p50,
            "p90",
            Percentiles::p90,
            "p99",
            Percentiles::p99,
            "p999",
            Percentiles::p999,
            MAX,
            Percentiles::max);
    private static final Map<String, Double> PERCENTILES =
            Map.of("p50", 50.0, "p90", 90.0, "p99", 99.0, "p999", 99.9, MAX, 100.0);
    /** Those that few answers do not have. */
    private static final Map<String, Double> HIGH_PERCENTILES = Map.of("p90", 90.0, "p99", 99.0, "p999", 99.9);

    private static final double MICROS_PER_MILLI = 1e3;
    private static final MathContext SHOWN = new MathContext(6);

    /**
     * Reads a condition.
     *
     * @throws IllegalArgumentException if it is none; the message is for people
     */
    static Gate of(String text) {
        Matcher parts = FORM.matcher(text);
        if (parts.matches()) {
            String metric = parts.group(1).toLowerCase(Locale.ROOT);
            boolean above = parts.group(2).equals(">");
            double number = Double.parseDouble(parts.group(3));
            String unit = parts.group(4);
            if (TIMES.containsKey(metric) && !unit.isEmpty()) {
                return new Gate(text, metric, above, micros(parts.group(3), unit));
            }
            if (metric.equals("cpu") && (unit.equals("us") || unit.equals("ms"))) {
                return new Gate(text, metric, above, unit.equals("us") ? number : number * MICROS_PER_MILLI);
            }
            if ((metric.equals("errors") || metric.equals("throughput")) && unit.isEmpty()) {
                return new Gate(text, metric, above, number);
            }
        }
        throw new IllegalArgumentException(
                "'" + text
                        + "' is not of the form p50|p90|p99|p999|max>TIME, cpu>TIME, errors>N or throughput<N, such as p99>50ms");
    }

    private static double micros(String number, String unit) {
        if (unit.equals("us")) {
            return Double.parseDouble(number);
        }
        return Units.millis(number + unit) * MICROS_PER_MILLI;
    }

    /**
     * The mean of the figure over a cell's repetitions, also of percentiles. Of maxima it is the highest: one long wait
     * among many repetitions is what such a condition looks for.
     *
     * <p>It is empty if the figure is not known in any repetition.
     *
     * @param repetitions of one cell
     */
    OptionalDouble figure(List<CellResult> repetitions) {
        DoubleStream figures =
                repetitions.stream().map(this::figure).filter(Objects::nonNull).mapToDouble(Double::doubleValue);
        return metric.equals(MAX) ? figures.max() : figures.average();
    }

    private @Nullable Double figure(CellResult cell) {
        return switch (metric) {
            case "errors" -> (double) cell.errorCount();
            case "throughput" -> cell.throughput();
            case "cpu" -> cell.serverMicrosPerRequest();
            default -> {
                Percentiles latency = cell.times().latency();
                Function<Percentiles, @Nullable Double> time = TIMES.get(metric);
                yield latency.count() == 0 || time == null ? null : time.apply(latency);
            }
        };
    }

    /**
     * Why a cell fails; null if it does not. A figure that is not known fails, because nothing shows that it is good.
     *
     * @param repetitions of one cell
     */
    @Nullable String failure(List<CellResult> repetitions) {
        String tooFew = tooFew(repetitions);
        if (tooFew != null) {
            return tooFew;
        }
        String wrong = above ? withoutRightAnswer(repetitions) : null;
        if (wrong != null) {
            return wrong;
        }
        OptionalDouble figure = figure(repetitions);
        if (figure.isEmpty()) {
            return metric + " is not known, --fail-if '" + text + "'";
        }
        boolean fails = above ? figure.getAsDouble() > bound : figure.getAsDouble() < bound;
        return fails ? metric + " is " + shown(figure.getAsDouble()) + ", --fail-if '" + text + "'" : null;
    }

    /**
     * Why a high percentile is not known; null if it is, and for other figures. A repetition with too few answers may be the
     * slowest: a mean of the others would pass without it.
     */
    private @Nullable String tooFew(List<CellResult> repetitions) {
        Double percentile = HIGH_PERCENTILES.get(metric);
        if (percentile == null) {
            return null;
        }
        long needed = Percentiles.valuesFor(percentile);
        long fewest = repetitions.stream()
                .mapToLong(cell -> cell.times().latency().count())
                .min()
                .orElse(0);
        return fewest >= needed
                ? null
                : metric + " is not known: it takes " + needed + " answers"
                        + (repetitions.size() > 1 ? " in each repetition" : "") + ", and there are " + fewest
                        + ", --fail-if '" + text + "'";
    }

    /**
     * Why a percentile is not known although there are enough answers; null if it is. Requests without a right answer, which
     * {@code --max-errors} or a short drain forgives, have no latency. Those that a timeout has ended waited longest of all.
     */
    private @Nullable String withoutRightAnswer(List<CellResult> repetitions) {
        Double percentile = PERCENTILES.get(metric);
        if (percentile == null) {
            return null;
        }
        for (CellResult cell : repetitions) {
            long without = cell.errorCount()
                    + cell.counts().unsent()
                    + cell.counts().stalled()
                    + (cell.countsBytes() ? 0 : cell.counts().cutOff());
            long all = cell.times().latency().count() + without;
            if (without > 0 && without > all * (100 - percentile) / 100) {
                return metric + " is not known: " + without + " of " + all
                        + " requests had no right answer, --fail-if '" + text + "'";
            }
        }
        return null;
    }

    /** A figure for people. */
    String shown(double figure) {
        if (TIMES.containsKey(metric)) {
            return plain(figure / MICROS_PER_MILLI) + " ms";
        }
        return plain(figure) + (metric.equals("cpu") ? " us" : "");
    }

    /** A number without an exponent, which people would have to read twice. */
    private static String plain(double number) {
        return new BigDecimal(number).round(SHOWN).stripTrailingZeros().toPlainString();
    }
}
