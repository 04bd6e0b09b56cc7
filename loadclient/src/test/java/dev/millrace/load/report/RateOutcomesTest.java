package dev.millrace.load.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.report.Comparison.Metric;
import dev.millrace.load.report.Outcomes.Outcome;
import dev.millrace.load.run.CellResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** In the open model the clock says how many requests a server gets, so that throughput tells nothing of it. */
class RateOutcomesTest {

    /** The verdict after ten rounds, in which B takes these CPU seconds in turn, and A one. */
    private static Outcomes.Line after(boolean early, double... seconds) {
        List<Metric> deciding = Metric.deciding(false);
        return Outcomes.of(compared(early, seconds), deciding, 5).lines().get(0);
    }

    private static Comparison compared(boolean early, double... seconds) {
        List<CellResult> a = new ArrayList<>();
        List<CellResult> b = new ArrayList<>();
        Map<String, String> parameters = Map.of("clients", "1", "rate", "1000");
        for (int round = 0; round < 10; round++) {
            a.add(ExperimentRuns.cell("A", round, 1000, 1, false).withParameters(parameters));
            b.add(ExperimentRuns.cell("B", round, 1000, seconds[round % seconds.length], false)
                    .withParameters(parameters));
        }
        return Comparison.of(a, b, Metric.deciding(false).size(), early);
    }

    @Test
    void theSameRateIsNoVerdict() {
        for (boolean early : new boolean[] {false, true}) {
            Outcomes.Line noisy = after(early, 0.5, 2.5, 1, 3);
            assertEquals(Outcome.UNDECIDED, noisy.outcome(), noisy.reason());
            assertTrue(noisy.reason().startsWith("server CPU "), noisy.reason());
            assertTrue(noisy.open(), "further rounds may show that B takes more");
            assertEquals(Outcome.NO_DIFFERENCE, after(early, 1, 1.001).outcome());
            assertEquals(Outcome.WORSE, after(early, 1.5, 1.501).outcome());
            assertEquals(Outcome.BETTER, after(early, 0.5, 0.501).outcome());
        }
    }

    @Test
    void theFilesHaveNoVerdictOnThroughputEither() {
        ComparisonFiles files = new ComparisonFiles("a", "b", compared(false, 1, 1.001), Metric.deciding(false), 5);
        assertTrue(files.json().matches("(?s).*\"throughput\"[^}]*\"verdict\" : null.*"), files.json());
        assertTrue(files.json().matches("(?s).*\"cpu\"[^}]*\"verdict\" : \"no difference\".*"), files.json());
        assertTrue(files.markdown().matches("(?s).*\\| throughput \\|[^\n]*\\|  \\|\n.*"), files.markdown());
    }
}
