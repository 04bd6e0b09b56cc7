package dev.millrace.load.report;

import java.util.List;

/**
 * A mean and its confidence interval. The values must be independent, or the interval is too narrow: repetitions on
 * servers that were started once are averaged before. Immutable.
 *
 * @param mean arithmetic mean
 * @param half half the width of the interval; NaN if there are too few values for one
 * @param n    number of values
 */
record Interval(double mean, double half, int n) {

    /** Share of 95 % intervals that miss the truth. */
    static final double ERROR = 0.05;

    /**
     * Variance of the effects that {@link #sequential} expects, in units of the values' variance. Larger is better for
     * few values, smaller for many: between 5 and 100 values 4 costs at most a tenth of the width.
     */
    private static final double EXPECTED_EFFECT = 4;

    /** Fewer values do not show whether they depend on each other. */
    private static final int LEAST_CORRELATED = 8;

    private static final double MOST_CORRELATION = 0.9;
    private static final double WIDEST_QUANTILE = 1e9;

    /** The 95 % interval by Student's t. */
    static Interval of(List<Double> values) {
        return of(values, ERROR);
    }

    /** The interval by Student's t, for a number of values that did not depend on them. */
    static Interval of(List<Double> values, double error) {
        int n = values.size();
        double mean = mean(values);
        return n < 2
                ? new Interval(mean, Double.NaN, n)
                : new Interval(mean, quantile(n - 1, error) * deviation(values, mean) / Math.sqrt(n), n);
    }

    /**
     * The interval after each of any number of looks. The chance that one of them misses the truth is at most the
     * error. So who measures may look after each value, and stop when he likes. It is the confidence sequence of
     * the t-test with a Gaussian mixture over the effect, by H. Wang and A. Ramdas, Anytime-valid t-tests and
     * confidence sequences for Gaussian means with unknown variance, 2023, arXiv 2310.03722. Values that resemble
     * their predecessors count for fewer, by the autocorrelation of lag 1.
     */
    static Interval sequential(List<Double> values, double error) {
        int n = values.size();
        double mean = mean(values);
        double effective = n * independence(values, mean);
        double growth = 1 + effective * EXPECTED_EFFECT;
        double bound = Math.pow(growth / error / error, 1 / effective);
        if (n < 2 || bound >= growth) {
            return new Interval(mean, Double.NaN, n);
        }
        double squares = (bound - 1) / (1 - bound / growth) * Math.max(effective - 1, 0);
        return new Interval(mean, deviation(values, mean) * Math.sqrt(squares / effective), n);
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    }

    private static double deviation(List<Double> values, double mean) {
        double squares = values.stream()
                .mapToDouble(value -> (value - mean) * (value - mean))
                .sum();
        return Math.sqrt(squares / (values.size() - 1));
    }

    /** The independent values that one value is worth, if each depends on the one before as in an AR(1) process. */
    private static double independence(List<Double> values, double mean) {
        int n = values.size();
        if (n < LEAST_CORRELATED) {
            return 1;
        }
        double products = 0;
        double squares = 0;
        for (int i = 0; i < n; i++) {
            double off = values.get(i) - mean;
            squares += off * off;
            products += i == 0 ? 0 : off * (values.get(i - 1) - mean);
        }
        // The estimate is too small by (1 + 3r)/n: F. H. C. Marriott, J. A. Pope, Bias in the estimation of
        // autocorrelations, Biometrika 41, 1954.
        // Half a standard error more is on the safe side: a few values may hide what they depend on.
        double correlation = squares == 0 ? 0 : (products / squares * n + 1) / (n - 3) + 0.5 / Math.sqrt(n);
        double bounded = Math.min(Math.max(correlation, 0), MOST_CORRELATION);
        return (1 - bounded) / (1 + bounded);
    }

    /** The two-sided quantile of Student's t. */
    static double quantile(int freedom, double error) {
        double low = 0;
        double high = 1;
        while (tails(freedom, high) > error && high < WIDEST_QUANTILE) {
            high *= 2;
        }
        for (int i = 0; i < Double.SIZE; i++) {
            double middle = (low + high) / 2;
            if (tails(freedom, middle) > error) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /** The share of Student's t beyond a value and its negative: Abramowitz and Stegun, 26.7.3 and 26.7.4. */
    private static double tails(int freedom, double t) {
        double angle = Math.atan(t / Math.sqrt(freedom));
        double cosine = Math.cos(angle) * Math.cos(angle);
        boolean odd = freedom % 2 == 1;
        double term = odd ? Math.cos(angle) : 1;
        double sum = odd && freedom == 1 ? 0 : term;
        for (int i = odd ? 3 : 2; i < freedom - 1; i += 2) {
            term *= cosine * (i - 1) / i;
            sum += term;
        }
        sum *= Math.sin(angle);
        return 1 - (odd ? 2 / Math.PI * (angle + sum) : sum);
    }

    /** Half the width in per cent of the mean; NaN for a single value, and if the mean is 0. */
    double percent() {
        return mean == 0 ? Double.NaN : half / Math.abs(mean) * 100;
    }
}
