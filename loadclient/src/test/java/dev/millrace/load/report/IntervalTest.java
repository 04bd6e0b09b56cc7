package dev.millrace.load.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Student's interval for values that were calculated by hand. */
class IntervalTest {

    @Test
    void theIntervalIsStudents() {
        Interval interval = Interval.of(List.of(10.0, 12.0, 14.0));
        assertEquals(12.0, interval.mean());
        // sd 2, standard error 2/sqrt(3), t(2) = 4.303
        assertEquals(4.303 * 2 / Math.sqrt(3), interval.half(), 1e-3);
        assertEquals(interval.half() / 12 * 100, interval.percent(), 1e-9);
    }

    @Test
    void quantilesAreThoseOfTheTables() {
        assertEquals(12.706, Interval.quantile(1, 0.05), 1e-3);
        assertEquals(2.776, Interval.quantile(4, 0.05), 1e-3);
        assertEquals(5.598, Interval.quantile(4, 0.005), 1e-3);
        assertEquals(2.042, Interval.quantile(30, 0.05), 1e-3);
        assertEquals(3.390, Interval.quantile(100, 0.001), 1e-3);
    }

    @Test
    void aSingleValueHasNoInterval() {
        assertTrue(Double.isNaN(Interval.of(List.of(1.0)).half()));
    }

    @Test
    void equalValuesHaveNoWidth() {
        assertEquals(0.0, Interval.of(Collections.nCopies(40, 3.0)).half());
    }

    /** The evidence against a mean: the Gaussian mixture of effects over the likelihood without one, by sums over a grid. */
    private static double evidence(List<Double> values, double mean) {
        double with = 0;
        double without = 0;
        for (double logarithm = -5; logarithm < 5; logarithm += 0.01) {
            double sigma = Math.exp(logarithm);
            without += likelihood(values, mean, sigma);
            for (double effect = -12; effect < 12; effect += 0.02) {
                // The effects are normal with variance 4.
                double prior = Math.exp(-effect * effect / 8) / Math.sqrt(8 * Math.PI);
                with += likelihood(values, mean + effect * sigma, sigma) * prior * 0.02;
            }
        }
        return with / without;
    }

    private static double likelihood(List<Double> values, double mean, double sigma) {
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return Math.exp(-squares / (2 * sigma * sigma)) / Math.pow(sigma, values.size());
    }

    @Test
    void atTheEndsOfASequentialIntervalTheEvidenceIsThatOfItsError() {
        List<Double> values = List.of(1.0, 2.5, 0.5, 3.0, 1.8);
        for (double error : new double[] {0.05, 0.01}) {
            Interval interval = Interval.sequential(values, error);
            assertEquals(1 / error, evidence(values, interval.mean() + interval.half()), 0.01 / error);
            assertEquals(1 / error, evidence(values, interval.mean() - interval.half()), 0.01 / error);
        }
    }
}
