package dev.millrace.load.report;

import dev.millrace.load.experiment.Claim;
import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.report.Comparison.Ratio;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the tables of a replay: published figures beside those of today, and the decisions on claims. Immutable. */
public final class ExperimentTables {

    private static final List<String> FURTHER = List.of("init", "speed");
    private static final Map<String, String> UNITS = Map.of("init", "s", "speed", "MB/s");

    private final Experiment experiment;
    private final ExperimentResults today;
    private final boolean hasFurther;

    private ExperimentTables(RunFile run) {
        this.experiment = run.replayed();
        this.today = new ExperimentResults(run);
        this.hasFurther = experiment.rows().stream().anyMatch(row -> row.then().containsKey(FURTHER.get(0)));
    }

    /** The tables of a run; none if it is no replay. */
    static List<Table> of(RunFile run) {
        if (run.experiment() == null) {
            return List.of();
        }
        ExperimentTables tables = new ExperimentTables(run);
        List<Table> all = new ArrayList<>(tables.figures());
        all.add(tables.claims());
        return all;
    }

    /** The tables of a run as lines of text. */
    public static List<String> texts(RunFile run) {
        return of(run).stream().map(Table::text).toList();
    }

    /** The values of the tables' intervals, in words; empty if the run is no replay. */
    static String basis(RunFile run) {
        return run.experiment() == null ? "" : new ExperimentResults(run).basis();
    }

    private List<Table> figures() {
        Map<List<String>, List<Row>> parts = new LinkedHashMap<>();
        experiment
                .rows()
                .forEach(row -> parts.computeIfAbsent(
                                List.of(row.part(), experiment.unit(row)), key -> new ArrayList<>())
                        .add(row));
        List<Table> tables = new ArrayList<>();
        parts.forEach((part, rows) -> {
            Cost cost = cost(rows);
            tables.add(new Table(
                    part.get(0),
                    heading(part.get(1), cost),
                    rows.stream().map(row -> figures(row, cost)).toList()));
        });
        return tables;
    }

    private Cost cost(List<Row> rows) {
        return Cost.of(rows.stream()
                .map(today::cell)
                .filter(Objects::nonNull)
                .flatMap(cell -> cell.repetitions().stream())
                .toList());
    }

    private List<String> heading(String unit, Cost cost) {
        List<String> heading = new ArrayList<>(
                List.of("row", "then " + unit, "today " + unit, "\u00b1%", "today/then", "ratio then", "ratio today"));
        if (hasFurther) {
            FURTHER.forEach(name -> {
                heading.add(name + " then " + UNITS.get(name));
                heading.add(name + " today " + UNITS.get(name));
            });
        }
        heading.add(cost == Cost.PER_GIGABYTE ? "server ms/GB" : "server \u00b5s/req");
        heading.add("bound by");
        return heading;
    }

    private List<String> figures(Row row, Cost unit) {
        Aggregate cell = today.cell(row);
        Double then = row.then().get(ExperimentResults.THROUGHPUT);
        Interval now = today.figure(row, ExperimentResults.THROUGHPUT);
        Row base = today.row(row.base());
        List<String> texts = new ArrayList<>(List.of(
                row.text(),
                FigureFormat.number(then),
                FigureFormat.number(now == null ? null : now.mean()),
                FigureFormat.number(now == null ? null : now.percent()),
                FigureFormat.number(then == null || now == null ? null : now.mean() / then),
                thenRatio(row, base),
                text(base == null ? null : today.ratio(ExperimentResults.THROUGHPUT, row, base, null))));
        if (hasFurther) {
            for (String name : FURTHER) {
                texts.add(small(row.then().get(name)));
                Interval interval = today.figure(row, name);
                texts.add(small(interval == null ? null : interval.mean()));
            }
        }
        Interval cost = today.figure(row, unit);
        texts.add(FigureFormat.number(cost == null ? null : cost.mean()));
        texts.add(cell == null ? "not measured" : bound(cell));
        return texts;
    }

    private static String bound(Aggregate cell) {
        List<String> faults = new ArrayList<>();
        if (cell.errors() > 0) {
            faults.add(cell.errors() + " errors");
        }
        if (cell.unanswered() > 0) {
            faults.add(cell.unanswered() + " unanswered");
        }
        return faults.isEmpty() ? cell.verdict() : String.join(", ", faults);
    }

    private static String thenRatio(Row row, @Nullable Row base) {
        Double above = row.then().get(ExperimentResults.THROUGHPUT);
        Double below = base == null ? null : base.then().get(ExperimentResults.THROUGHPUT);
        return FigureFormat.number(above == null || below == null ? null : above / below);
    }

    private Table claims() {
        List<List<String>> rows = new ArrayList<>();
        for (Claim claim : experiment.claims()) {
            ClaimResult result = ClaimResult.of(claim, today);
            rows.add(List.of(
                    claim.text(),
                    result.then(),
                    result.now(),
                    result.byThroughput().label(),
                    result.byCpu() == null
                            ? FigureFormat.UNKNOWN
                            : result.byCpu().label()));
        }
        return new Table(
                "Claims made then",
                List.of("claim", "ratio then", "ratio today", "today", "by work per server CPU"),
                rows);
    }

    /** What became of each claim of a replay. */
    static List<ClaimResult> claims(RunFile run) {
        ExperimentResults today = new ExperimentResults(run);
        return run.replayed().claims().stream()
                .map(claim -> ClaimResult.of(claim, today))
                .toList();
    }

    /** Whether a cell of a replay belongs to a claim that is undecided. */
    public static Predicate<Row> undecided(RunFile run) {
        ExperimentResults today = new ExperimentResults(run);
        Set<List<Object>> cells = new HashSet<>();
        for (ClaimResult result : claims(run)) {
            if (result.decision() == Decision.UNDECIDED) {
                result.claim().compare().stream()
                        .flatMap(compared -> Stream.of(compared.a(), compared.b()))
                        .filter(Objects::nonNull)
                        .map(today::row)
                        .filter(Objects::nonNull)
                        .forEach(row -> cells.add(List.of(row.server(), row.parameters())));
            }
        }
        return row -> cells.contains(List.of(row.server(), row.parameters()));
    }

    /** All verdicts of a replay in one line. */
    public static String summary(RunFile run) {
        return ClaimResult.summary(claims(run)).replace("*", "");
    }

    /** A number with three decimals if it is below 1, because times may be milliseconds. */
    private static String small(@Nullable Double value) {
        return value == null || value >= 1 ? FigureFormat.number(value) : String.format(Locale.ROOT, "%.3f", value);
    }

    static String text(@Nullable Ratio ratio) {
        return ratio == null ? FigureFormat.UNKNOWN : ratio.text();
    }
}
