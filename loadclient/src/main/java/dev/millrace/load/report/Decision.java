package dev.millrace.load.report;

import dev.millrace.load.experiment.Claim;
import dev.millrace.load.report.Comparison.Ratio;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The decision on a published claim by the intervals of today's ratios. */
enum Decision {
    /** The intervals of all ratios lie within the claim's bounds. */
    HOLDS("holds"),
    /** The interval of at least one ratio lies outside the claim's bounds. */
    FAILS("does not hold today"),
    /** The claim says that one is better than the other, and the interval of a ratio lies within 5 % of 1. */
    NO_DIFFERENCE("no difference"),
    /** An interval contains a bound of the claim, or a ratio has no interval. */
    UNDECIDED("undecided"),
    /** A row of the claim was not measured. */
    NOT_MEASURED("not measured"),
    /** All rows were measured, but no repetition has sound figures of both. */
    NOT_COMPARABLE("not comparable");

    /** A ratio and its reciprocal up to which a difference does not matter. */
    private static final double MARGIN = 1.05;

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
        if (ratio.high() < low || ratio.low() > high) {
            return FAILS;
        }
        boolean same = ratio.low() >= 1 / MARGIN && ratio.high() <= MARGIN;
        return same && wantsDifference(compared) ? NO_DIFFERENCE : UNDECIDED;
    }

    /** Why a ratio leaves its comparison undecided. */
    static String reason(Claim.Compared compared, Ratio ratio) {
        if (!ratio.isNarrow()) {
            return ratio.hasInterval() ? "the interval is too wide" : "too few repetitions for an interval";
        }
        String bounds = Stream.of(compared.low(), compared.high())
                .filter(bound -> bound != null && ratio.low() <= bound && bound <= ratio.high())
                .map(FigureFormat::number)
                .collect(Collectors.joining(" and "));
        return String.format(Locale.ROOT, "%.3f to %.3f lies across %s", ratio.low(), ratio.high(), bounds);
    }

    /** Whether a row is said to be better or worse than another, without a word on by how much. */
    private static boolean wantsDifference(Claim.Compared compared) {
        Double only = compared.low() == null ? compared.high() : compared.high() == null ? compared.low() : null;
        return compared.b() != null && only != null && only == 1;
    }

    /** Decides on a claim with several comparisons, all of which must hold. */
    static Decision ofAll(List<Decision> decisions) {
        if (decisions.contains(FAILS)) {
            return FAILS;
        }
        for (Decision none : List.of(NO_DIFFERENCE, NOT_MEASURED, NOT_COMPARABLE)) {
            if (decisions.contains(none)) {
                return none;
            }
        }
        return decisions.contains(UNDECIDED) ? UNDECIDED : HOLDS;
    }
}
