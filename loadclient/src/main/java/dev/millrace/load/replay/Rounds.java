package dev.millrace.load.replay;

import dev.millrace.load.experiment.Lengths;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.run.CellResult;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of a replay: the planned ones measure all cells, further ones those of undecided claims. A round is a start
 * of the servers, or a block if they are started once. Confined to one thread.
 *
 * <p>Without a budget the results are looked at once, after the planned rounds. The number of further rounds is fixed
 * before, so that intervals need to hold at two looks only. With a budget the results are looked at after each round.
 */
final class Rounds {

    private static final int MOST = 10_000;

    private final ReplayPlan plan;
    private final @Nullable Duration budget;
    private final Function<List<CellResult>, Predicate<Row>> undecided;
    private final LongSupplier nanoTime;
    private final long beginNanos;
    private Predicate<Row> wanted = row -> true;

    /**
     * The rounds of a plan, which begin now.
     *
     * @param budget    time for all rounds; null for as many as planned
     * @param undecided the cells whose claims are undecided, by the results so far
     * @param nanoTime  the clock
     */
    Rounds(
            ReplayPlan plan,
            @Nullable Duration budget,
            Function<List<CellResult>, Predicate<Row>> undecided,
            LongSupplier nanoTime) {
        this.plan = plan;
        this.budget = budget;
        this.undecided = undecided;
        this.nanoTime = nanoTime;
        this.beginNanos = nanoTime.getAsLong();
    }

    /**
     * The cells of the next round.
     *
     * @param done    rounds done
     * @param results their results
     * @return null if there is no further round
     */
    @Nullable Predicate<Row> next(int done, List<CellResult> results) {
        Lengths lengths = plan.lengths();
        int planned = lengths.rounds();
        if (done < planned) {
            return wanted;
        }
        if (!goesOn(done, planned + lengths.further())) {
            return null;
        }
        if (done == planned || budget != null) {
            wanted = undecided.apply(results);
        }
        boolean isDecided = plan.conditions().stream().flatMap(List::stream).noneMatch(wanted);
        return isDecided ? null : wanted;
    }

    private boolean goesOn(int done, int most) {
        if (budget == null) {
            return done < most;
        }
        long spent = nanoTime.getAsLong() - beginNanos;
        return done < MOST && spent + spent / done <= budget.toNanos();
    }
}
