package dev.millrace.load.report;

import java.util.List;

/**
 * A mean and its 95 % confidence interval by Student's t. The values must be independent, or the interval is too
 * narrow: repetitions on servers that were started once are averaged before. Immutable.
 *
 * @param mean arithmetic mean
 * @param half half the width of the interval; NaN for a single value
 * @param n    number of values
 */
record Interval(double mean, double half, int n) {

    /** Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom. */
    private static final double[] T = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
        2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042
    };

    private static final double NORMAL = 1.960;

    static Interval of(List<Double> values) {
        int n = values.size();
        double mean = values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
        if (n < 2) {
            return new Interval(mean, Double.NaN, n);
        }
        double squares = values.stream()
                .mapToDouble(value -> (value - mean) * (value - mean))
                .sum();
        double error = Math.sqrt(squares / (n - 1) / n);
        return new Interval(mean, (n - 1 <= T.length ? T[n - 2] : NORMAL) * error, n);
    }

    /** Half the width in per cent of the mean; NaN for a single value, and if the mean is 0. */
    double percent() {
        return mean == 0 ? Double.NaN : half / Math.abs(mean) * 100;
    }
}
