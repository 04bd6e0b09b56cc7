package dev.millrace.load.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Adds up the figures that several clients measured at the same time on the same server. Rates are added. Latencies come
 * from the sum of the histograms, which is exact. Other distributions, sizes and the use of the clients' machines are
 * left out, because runs keep only their percentiles. Stateless.
 */
public final class MergedCell {

    /** A distribution without values. */
    private static final Percentiles UNKNOWN = new Percentiles(0, 0, null, null, null, null, 0);
    /** Settings that say how much load there is, and of which the sum is that of all clients. */
    private static final Set<String> ADDED = Set.of("clients", "rate");

    private static final String INVALID = Verdict.INVALID + ": ";

    private MergedCell() {}

    /**
     * The sum.
     *
     * @param parts the same cell of each run
     * @param note  what readers must know of the runs
     * @throws IllegalArgumentException if a part has no histogram; the message is for people
     */
    public static CellResult of(List<CellResult> parts, String note) {
        CellResult first = parts.get(0);
        double seconds = seconds(parts);
        Histogram latency = latency(parts);
        Times times = new Times(Percentiles.of(latency), null, UNKNOWN, UNKNOWN, UNKNOWN, null);
        Set<String> notes = new LinkedHashSet<>(Set.of(note));
        parts.forEach(part -> notes.addAll(part.notes()));
        return new CellResult(
                first.label(),
                parameters(parts),
                first.repetition(),
                first.model(),
                first.countsBytes(),
                seconds,
                counts(parts),
                errors(parts),
                times,
                List.of(),
                tls(parts),
                cpu(parts, seconds),
                series(parts),
                HistogramCodec.encode(latency),
                verdict(parts),
                List.copyOf(notes),
                parts.stream()
                        .map(CellResult::windowStartMillis)
                        .min(Long::compare)
                        .orElseThrow());
    }

    /** The length over which the sum of all answers makes the sum of the rates: windows differ by milliseconds. */
    private static double seconds(List<CellResult> parts) {
        double done = 0;
        double perSecond = 0;
        double longest = 0;
        for (CellResult part : parts) {
            double figure =
                    part.countsBytes() ? part.counts().bytes() : part.counts().requests();
            done += figure;
            perSecond += figure / part.windowSeconds();
            longest = Math.max(longest, part.windowSeconds());
        }
        return perSecond == 0 ? longest : done / perSecond;
    }

    private static Map<String, String> parameters(List<CellResult> parts) {
        Map<String, String> sum = new LinkedHashMap<>(parts.get(0).parameters());
        sum.replaceAll((name, value) -> ADDED.contains(name) ? number(total(parts, name)) : value);
        return sum;
    }

    private static double total(List<CellResult> parts, String name) {
        return parts.stream()
                .mapToDouble(part -> Double.parseDouble(part.parameters().get(name)))
                .sum();
    }

    /** The form of {@link Cell#parameters()}. */
    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static Histogram latency(List<CellResult> parts) {
        if (parts.stream().anyMatch(part -> part.histogram().isEmpty())) {
            throw new IllegalArgumentException("a run has no histogram of its latencies");
        }
        Histogram sum = parts.get(0).latencies();
        sum.setAutoResize(true);
        parts.stream().skip(1).forEach(part -> sum.add(part.latencies()));
        return sum;
    }

    private static long sum(List<CellResult> parts, ToLongFunction<Counts> count) {
        return parts.stream()
                .mapToLong(part -> count.applyAsLong(part.counts()))
                .sum();
    }

    private static Counts counts(List<CellResult> parts) {
        return new Counts(
                sum(parts, Counts::requests),
                sum(parts, Counts::bytes),
                sum(parts, Counts::connections),
                sum(parts, Counts::cutOff),
                sum(parts, Counts::stalled),
                sum(parts, Counts::unsent));
    }

    private static Map<String, FailureCount> errors(List<CellResult> parts) {
        Map<String, FailureCount> sum = new TreeMap<>();
        parts.forEach(part -> part.errors()
                .forEach((kind, failures) -> sum.merge(
                        kind, failures, (one, other) -> new FailureCount(one.count() + other.count(), one.first()))));
        return sum;
    }

    private static @Nullable TlsResult tls(List<CellResult> parts) {
        List<TlsResult> all =
                parts.stream().map(CellResult::tls).filter(Objects::nonNull).toList();
        if (all.isEmpty()) {
            return null;
        }
        Set<String> versions = new TreeSet<>();
        all.forEach(one -> versions.addAll(List.of(one.version().split(", "))));
        return new TlsResult(
                String.join(", ", versions),
                all.stream().mapToLong(TlsResult::full).sum(),
                all.stream().mapToLong(TlsResult::resumed).sum(),
                UNKNOWN);
    }

    /** Each client has watched the same servers, so that their cores are means; the clients' own cores are added. */
    private static CpuUse cpu(List<CellResult> parts, double seconds) {
        Double server = cores(parts, CpuUse::server);
        Double client = cores(parts, CpuUse::client);
        Double partners = cores(parts, CpuUse::partners);
        CpuUse first = parts.get(0).cpu();
        return new CpuUse(
                server == null ? null : server / parts.size() * seconds,
                client == null ? null : client * seconds,
                null,
                null,
                null,
                null,
                first.serverThreads(),
                first.serverResidentBytes(),
                first.serverElsewhere(),
                partners == null ? null : partners / parts.size() * seconds);
    }

    private static @Nullable Double cores(List<CellResult> parts, Function<CpuUse, @Nullable Double> figure) {
        double sum = 0;
        for (CellResult part : parts) {
            Double one = figure.apply(part.cpu());
            if (one == null) {
                return null;
            }
            sum += one / part.windowSeconds();
        }
        return sum;
    }

    private static Series series(List<CellResult> parts) {
        return new Series(added(parts, Series::warmup), added(parts, Series::requests), added(parts, Series::bytes));
    }

    /** Seconds that all windows have. */
    private static List<Long> added(List<CellResult> parts, Function<Series, List<Long>> counts) {
        List<List<Long>> all =
                parts.stream().map(part -> counts.apply(part.series())).toList();
        int length = all.stream().mapToInt(List::size).min().orElse(0);
        List<Long> sum = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            int second = i;
            sum.add(all.stream().mapToLong(one -> one.get(second)).sum());
        }
        return sum;
    }

    /** As of a single cell, errors come first, unless they may be those of ports or of an early end. */
    private static String verdict(List<CellResult> parts) {
        List<String> verdicts =
                parts.stream().map(CellResult::verdict).distinct().toList();
        return first(verdicts, one -> one.equals(INVALID + Verdict.PORTS) || one.equals(INVALID + Verdict.STOPPED))
                .or(() -> first(verdicts, Verdict.ERRORS::equals))
                .or(() -> first(verdicts, one -> one.startsWith(INVALID)))
                .orElse(verdicts.size() == 1 ? verdicts.get(0) : Verdict.UNKNOWN);
    }

    private static Optional<String> first(List<String> verdicts, Predicate<String> wanted) {
        return verdicts.stream().filter(wanted).findFirst();
    }
}
