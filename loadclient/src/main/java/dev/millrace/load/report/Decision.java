package dev.millrace.load.report;

import dev.millrace.load.classics.Claim;
import dev.millrace.load.report.Comparison.Ratio;
import java.util.List;

/** What today's intervals say to a claim of then. */
enum Decision {
    /** All ratios lie, with their whole intervals, where the claim wants them. */
    HOLDS("holds"),
    /** At least one lies, with its whole interval, where the claim does not want it. */
    FAILS("does not hold today"),
    /** An interval reaches over the edge, or there is none. */
    UNDECIDED("undecided"),
    /** A row that the claim speaks of was not measured. */
    NOT_MEASURED("not measured"),
    /** All were, but no repetition has figures of both that stand for what they say. */
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
     * @param ratio    null if there is none
     * @param measured whether there are cells of all rows, sound or not
     */
    static Decision of(Claim.Compared compared, Ratio ratio, boolean measured) {
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

    /** Decides on a claim of several comparisons, all of which must hold. */
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
