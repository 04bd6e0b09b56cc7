package dev.millrace.load.report;

import dev.millrace.load.experiment.Claim;
import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.experiment.Lengths;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.experiment.ServerSetting;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Counts;
import dev.millrace.load.run.CpuUse;
import dev.millrace.load.run.FailureCount;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Series;
import dev.millrace.load.run.SizeResult;
import dev.millrace.load.run.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs of an experiment with servers A, B and C, for the tests of what is made of them. */
final class ExperimentRuns {
    static final Percentiles TIMES = new Percentiles(1000, 2, 1.0, 3.0, 4.0, 5.0, 6);
    static final Lengths SHORT = new Lengths(1, 3, 0, 0, 0, 1, 1, 0, 0);

    private ExperimentRuns() {}

    static Row row(String id, String server, Double then, String base) {
        return new Row(
                id,
                "Part",
                "text of " + id,
                server,
                4,
                "hello",
                null,
                null,
                then == null ? null : Map.of("throughput", then),
                base,
                true,
                null,
                null);
    }

    static final List<Row> ROWS =
            List.of(row("a", "A", 100.0, null), row("b", "B", 200.0, "a"), row("c", "C", null, "a"));

    static CellResult cell(String server, int block, long requests, double serverSeconds, boolean wrong) {
        Map<String, FailureCount> errors = wrong ? Map.of("reset", new FailureCount(1, "x")) : Map.of();
        return cell(server, block, new Counts(requests, 0, 4, 0, 0, 0), errors, List.of(), serverSeconds);
    }

    static CellResult cell(
            String server,
            int block,
            Counts counts,
            Map<String, FailureCount> errors,
            List<SizeResult> sizes,
            double serverSeconds) {
        return new CellResult(
                server,
                Map.of("clients", "4", "work", "hello"),
                block,
                "closed",
                !sizes.isEmpty(),
                1.0,
                counts,
                errors,
                new Times(TIMES, null, TIMES, TIMES, TIMES, null),
                sizes,
                new CpuUse(serverSeconds, 0.4, 0.1, 0.3, 0.0, 0.2, 10L, 1000L, false, null),
                new Series(List.of(), List.of(), List.of()),
                "",
                errors.isEmpty() ? "box-bound" : "errors",
                List.of());
    }

    /** B does 1.5 times as much as A in each block for the same CPU time, while the machine's speed changes. */
    static RunFile run(boolean wrong) {
        List<CellResult> cells = new ArrayList<>();
        long[] drift = {1000, 3000, 2000};
        double[] noise = {1.49, 1.51, 1.50};
        for (int block = 0; block < 3; block++) {
            cells.add(cell("A", block, drift[block], 1, false));
            cells.add(cell("B", block, Math.round(drift[block] * noise[block]), 1, wrong));
        }
        return run(Map.of("form", "quick"), cells, experiment("test", null, SHORT, ROWS));
    }

    static Experiment experiment(String name, Map<String, Long> files, Lengths full, List<Row> rows) {
        ServerSetting setting = new ServerSetting("x", "BIO", List.of(), 0, false, false);
        List<Claim> claims = List.of(
                claim("faster", "b", "a", null, 1.0, null),
                claim("slower", "b", "a", null, null, 1.0),
                claim("half as fast again", "b", "a", null, 1.4, 1.6),
                claim("on the edge", "b", "a", null, 1.5, null),
                claim("of another server", "c", "a", null, 1.0, null),
                claim("much", "a", null, 50_000.0, 1.0, null));
        return new Experiment(
                name,
                "An experiment",
                "About it.",
                "req/s",
                List.of("Smaller."),
                files,
                null,
                SHORT,
                full,
                Map.of("A", setting, "B", setting, "C", setting),
                rows,
                List.of(),
                claims);
    }

    static RunFile run(Map<String, String> plan, List<CellResult> cells, Experiment experiment) {
        return new RunFile(
                1,
                "An experiment",
                "2026-01-01",
                "loadclient replay test",
                Map.of("cores", "2"),
                plan,
                cells,
                experiment);
    }

    static Claim claim(String text, String a, String b, Double than, Double low, Double high) {
        return new Claim(text, List.of(new Claim.Compared("throughput", a, b, than, low, high)));
    }

    static RunFile with(RunFile run, List<CellResult> cells) {
        return run(run.plan(), cells, run.experiment());
    }

    /** In each block, B does this many times as much as A. */
    static RunFile run(String name, double... factors) {
        List<CellResult> cells = new ArrayList<>();
        for (int block = 0; block < factors.length; block++) {
            cells.add(cell("A", block, 1000, 1, false));
            cells.add(cell("B", block, Math.round(1000 * factors[block]), 1, false));
        }
        return run(Map.of("form", "quick"), cells, experiment(name, null, SHORT, ROWS));
    }
}
