package dev.millrace.load.report;

import dev.millrace.load.experiment.Claim;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.report.Comparison.Ratio;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What became of a claim. Immutable.
 *
 * @param claim        the claim
 * @param then         published ratios
 * @param now          today's ratios
 * @param byThroughput decision by throughput, or by the figure that the claim names
 * @param byCpu        decision by work per server CPU; null if the claim has none
 * @param reason       what was found by each, in words; it tells why an undecided claim is
 */
record ClaimResult(
        Claim claim,
        String then,
        String now,
        Decision byThroughput,
        @Nullable Decision byCpu,
        String reason) {

    private static final Set<Decision> ALWAYS_COUNTED = EnumSet.of(Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED);

    /** What is found by one figure. Confined to the call that fills it. */
    private record Findings(List<Decision> decisions, List<String> open) {

        Findings() {
            this(new ArrayList<>(), new ArrayList<>());
        }

        void add(Claim.Compared compared, @Nullable Ratio ratio, boolean measured) {
            Decision decision = Decision.of(compared, ratio, measured);
            decisions.add(decision);
            if (decision == Decision.UNDECIDED && ratio != null) {
                open.add(Decision.reason(compared, ratio));
            }
        }

        Decision decision() {
            return Decision.ofAll(decisions);
        }

        /** The decision in words. A claim is undecided if one of its comparisons is, which is the reason then. */
        String text() {
            return decision() == Decision.UNDECIDED ? open.get(0) : decision().label();
        }
    }

    static ClaimResult of(Claim claim, ExperimentResults today) {
        List<String> then = new ArrayList<>();
        List<String> now = new ArrayList<>();
        Findings byThroughput = new Findings();
        Findings byCpu = new Findings();
        for (Claim.Compared compared : claim.compare()) {
            Row a = today.row(compared.a());
            Row b = today.row(compared.b());
            boolean known = a != null && (b != null || compared.b() == null);
            boolean measured = known && a != null && today.cell(a) != null && (b == null || today.cell(b) != null);
            Ratio ratio = known ? today.ratio(compared.figure(), a, b, compared.than()) : null;
            then.add(known && a != null ? then(compared, a, b) : FigureFormat.UNKNOWN);
            now.add(ratio == null ? FigureFormat.UNKNOWN : ratio.text());
            byThroughput.add(compared, ratio, measured);
            if (compared.figure().equals(ExperimentResults.THROUGHPUT) && compared.b() != null) {
                // The reciprocal of CPU per work: more is better then, as in throughput.
                byCpu.add(compared, known ? today.ratio("cpu", b, a, null) : null, measured);
            }
        }
        boolean hasCpu = !byCpu.decisions().isEmpty();
        return new ClaimResult(
                claim,
                String.join("; ", then),
                String.join("; ", now),
                byThroughput.decision(),
                hasCpu ? byCpu.decision() : null,
                byThroughput.text() + (hasCpu ? "; server CPU: " + byCpu.text() : ""));
    }

    private static String then(Claim.Compared compared, Row a, @Nullable Row b) {
        Double above = a.then().get(compared.figure());
        Double below = b == null ? compared.than() : b.then().get(compared.figure());
        return FigureFormat.number(above == null || below == null ? null : above / below);
    }

    private boolean isDecidedByCpu() {
        return switch (byThroughput) {
            case UNDECIDED -> byCpu == Decision.HOLDS || byCpu == Decision.FAILS || byCpu == Decision.NO_DIFFERENCE;
            case NO_DIFFERENCE -> byCpu == Decision.HOLDS || byCpu == Decision.FAILS;
            default -> false;
        };
    }

    /** The verdict: the server's CPU time decides where throughput cannot, or shows no difference. */
    Decision decision() {
        return byCpu != null && isDecidedByCpu() ? byCpu : byThroughput;
    }

    /** The verdict in words, with the reason why there is none. */
    String verdict() {
        if (decision() == Decision.UNDECIDED) {
            return decision().label() + ": " + reason;
        }
        return decision().label() + (isDecidedByCpu() ? ", by server CPU" : "");
    }

    /** All verdicts in one line. */
    static String summary(List<ClaimResult> results) {
        List<Decision> decisions = results.stream().map(ClaimResult::decision).toList();
        List<String> counts = new ArrayList<>();
        for (Decision decision : Decision.values()) {
            int count = Collections.frequency(decisions, decision);
            if (count > 0 || ALWAYS_COUNTED.contains(decision)) {
                counts.add("*" + decision.label() + "* " + count);
            }
        }
        return "Of " + decisions.size() + " claims: " + String.join(", ", counts) + ".";
    }
}
