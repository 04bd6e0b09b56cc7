package dev.millrace.load.report;

import dev.millrace.load.experiment.Claim;
import dev.millrace.load.report.Comparison.Ratio;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The decision on a published claim by the intervals of today's ratios. */
enum Decision {
    /** The intervals of all ratios lie within the claim's bounds. */
    HOLDS("holds"),
    /** The interval of at least one ratio lies outside the claim's bounds. */
    FAILS("does not hold today"),
    /** An interval contains a bound of the claim, or a ratio has no interval. */
    UNDECIDED("undecided"),
    /** A row of the claim was not measured. */
    NOT_MEASURED("not measured"),
    /** All rows were measured, but no repetition has sound figures of both. */
    NOT_COMPARABLE("not comparable");

    private final String label;

    Decision(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /**
     * Decides on one comparison.
     *
     * @param ratio    the ratio; null if it is missing
     * @param measured whether all rows have cells, sound or not
     */
    static Decision of(Claim.Compared compared, @Nullable Ratio ratio, boolean measured) {
        if (ratio == null) {
            return measured ? NOT_COMPARABLE : NOT_MEASURED;
        }
        if (Double.isNaN(ratio.low())) {
            return UNDECIDED;
        }
        double low = compared.low() == null ? 0 : compared.low();
        double high = compared.high() == null ? Double.POSITIVE_INFINITY : compared.high();
        if (ratio.low() >= low && ratio.high() <= high) {
            return HOLDS;
        }
        return ratio.high() < low || ratio.low() > high ? FAILS : UNDECIDED;
    }

    /** Decides on a claim with several comparisons, all of which must hold. */
    static Decision ofAll(List<Decision> decisions) {
        if (decisions.contains(FAILS)) {
            return FAILS;
        }
        for (Decision none : List.of(NOT_MEASURED, NOT_COMPARABLE)) {
            if (decisions.contains(none)) {
                return none;
            }
        }
        return decisions.contains(UNDECIDED) ? UNDECIDED : HOLDS;
    }
}
