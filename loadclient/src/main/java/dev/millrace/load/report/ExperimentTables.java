package dev.millrace.load.report;

import dev.millrace.load.experiment.Claim;
import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.report.Comparison.Ratio;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Makes the tables of a replay: published figures beside those of today, and the decisions on claims. Immutable. */
public final class ExperimentTables {

    private static final List<String> FURTHER = List.of("init", "speed");
    private static final int DECISION = 3;
    private static final Map<String, String> UNITS = Map.of("init", "s", "speed", "MB/s");

    private final Experiment experiment;
    private final ExperimentResults today;
    private final boolean hasFurther;

    private ExperimentTables(RunFile run) {
        this.experiment = run.experiment();
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

    /** The decision on each claim of a replay, in the words of its table. */
    static List<String> decisions(RunFile run) {
        return new ExperimentTables(run)
                .claims().rows().stream().map(row -> row.get(DECISION)).toList();
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
        Row base = row.base() == null ? null : today.row(row.base());
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

    private static String thenRatio(Row row, Row base) {
        Double above = row.then().get(ExperimentResults.THROUGHPUT);
        Double below = base == null ? null : base.then().get(ExperimentResults.THROUGHPUT);
        return FigureFormat.number(above == null || below == null ? null : above / below);
    }

    private Table claims() {
        List<List<String>> rows = new ArrayList<>();
        for (Claim claim : experiment.claims()) {
            List<String> then = new ArrayList<>();
            List<String> now = new ArrayList<>();
            List<Decision> decisions = new ArrayList<>();
            List<Decision> byCpu = new ArrayList<>();
            for (Claim.Compared compared : claim.compare()) {
                Row a = today.row(compared.a());
                Row b = compared.b() == null ? null : today.row(compared.b());
                boolean known = a != null && (b != null || compared.b() == null);
                boolean measured = known && today.cell(a) != null && (b == null || today.cell(b) != null);
                Ratio ratio = known ? today.ratio(compared.figure(), a, b, compared.than()) : null;
                then.add(known ? then(compared, a, b) : FigureFormat.UNKNOWN);
                now.add(text(ratio));
                decisions.add(Decision.of(compared, ratio, measured));
                if (compared.figure().equals(ExperimentResults.THROUGHPUT) && compared.b() != null) {
                    // The reciprocal of CPU per work: more is better then, as in throughput.
                    byCpu.add(Decision.of(compared, known ? today.ratio("cpu", b, a, null) : null, measured));
                }
            }
            rows.add(List.of(
                    claim.text(),
                    String.join("; ", then),
                    String.join("; ", now),
                    Decision.ofAll(decisions).label(),
                    byCpu.isEmpty()
                            ? FigureFormat.UNKNOWN
                            : Decision.ofAll(byCpu).label()));
        }
        return new Table(
                "Claims made then",
                List.of("claim", "ratio then", "ratio today", "today", "by work per server CPU"),
                rows);
    }

    private static String then(Claim.Compared compared, Row a, Row b) {
        Double above = a.then().get(compared.figure());
        Double below = b == null ? compared.than() : b.then().get(compared.figure());
        return FigureFormat.number(above == null || below == null ? null : above / below);
    }

    /** A number with three decimals if it is below 1, because times may be milliseconds. */
    private static String small(Double value) {
        return value == null || value >= 1 ? FigureFormat.number(value) : String.format(Locale.ROOT, "%.3f", value);
    }

    static String text(Ratio ratio) {
        return ratio == null ? FigureFormat.UNKNOWN : ratio.text();
    }
}
