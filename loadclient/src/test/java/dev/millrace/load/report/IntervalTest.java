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
}
