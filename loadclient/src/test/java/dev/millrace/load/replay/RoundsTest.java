package dev.millrace.load.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.experiment.Lengths;
import dev.millrace.load.experiment.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RoundsTest {

    private static final int PLANNED = 3;
    private static final Set<String> SERVERS = Set.of("BIO", "NIO");
    private static final Set<String> BIO = Set.of("BIO");

    private final Experiment experiment;
    private long clock;
    private int looks;
    private String undecidedServer = "BIO";

    RoundsTest() throws IOException {
        experiment = Experiment.of("undertow").expanded(false, Map.of());
    }

    private Rounds rounds(int starts, int repeats, int further, @Nullable Duration budget) {
        Lengths lengths = new Lengths(starts, repeats, 0, 1, 1, 1, 1, 0, further);
        ReplayPlan plan = ReplayPlan.of(experiment, lengths, Set.of(), 1);
        return new Rounds(
                plan,
                budget,
                results -> {
                    looks++;
                    return row -> row.server().equals(undecidedServer);
                },
                () -> clock);
    }

    /** The servers of each round, all of which take a second. */
    private List<Set<String>> run(Rounds rounds) {
        List<Set<String>> servers = new ArrayList<>();
        Predicate<Row> wanted = row -> true;
        for (int done = 1; wanted != null && done < 100; done++) {
            servers.add(experiment.rows().stream()
                    .filter(wanted)
                    .map(Row::server)
                    .filter(SERVERS::contains)
                    .collect(Collectors.toSet()));
            clock += TimeUnit.SECONDS.toNanos(1);
            wanted = rounds.next(done, List.of());
        }
        assertNull(wanted);
        return servers;
    }

    @Test
    void withoutFurtherRoundsNobodyLooks() {
        assertEquals(List.of(SERVERS, SERVERS, SERVERS), run(rounds(PLANNED, 2, 0, null)));
        assertEquals(0, looks);
    }

    @Test
    void furtherRoundsAreOfUndecidedClaimsAndLookedAtOnce() {
        assertEquals(List.of(SERVERS, SERVERS, SERVERS, BIO, BIO), run(rounds(PLANNED, 2, 2, null)));
        assertEquals(1, looks, "a look at each further round would mislead more often than the report says");
    }

    @Test
    void blocksAreTheRoundsOfServersThatAreStartedOnce() {
        assertEquals(List.of(SERVERS, SERVERS, BIO), run(rounds(1, 2, 1, null)));
    }

    @Test
    void nothingFollowsWhenAllIsDecided() {
        undecidedServer = "none";
        assertEquals(List.of(SERVERS, SERVERS, SERVERS), run(rounds(PLANNED, 1, 5, null)));
        assertEquals(1, looks);
    }

    @Test
    void aBudgetIsSpentRoundByRound() {
        assertEquals(List.of(SERVERS, SERVERS, SERVERS, BIO, BIO), run(rounds(PLANNED, 1, 0, Duration.ofSeconds(5))));
        assertEquals(2, looks);
    }

    @Test
    void aBudgetEndsWhenAllIsDecided() {
        Rounds rounds = rounds(PLANNED, 1, 9, Duration.ofMinutes(5));
        assertNotNull(rounds.next(PLANNED, List.of()));
        undecidedServer = "none";
        assertNull(rounds.next(PLANNED + 1, List.of()));
    }
}
