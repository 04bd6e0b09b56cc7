package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.MergedCell;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Adds up runs of several machines that put load on the same server at the same time. Runs that do not belong together
 * are refused. Stateless.
 */
public final class MergedRun {

    /** The fact of a run that says how far the server's clock is ahead of this machine's, in milliseconds. */
    public static final String SERVER_CLOCK = "server clock ahead";

    /** Settings in which the runs may differ. */
    private static final Set<String> OWN = Set.of("seed", "source addresses");

    private static final Pattern CLOCK = Pattern.compile("(-?\\d+) to (-?\\d+) ms");
    /** Outside of the common part, the server did not bear the sum of the load. */
    private static final double LEAST_COMMON = 0.9;

    private static final double MILLIS = 1e3;

    private MergedRun() {}

    /**
     * The sum of the runs.
     *
     * @param command the command that merges
     * @throws IllegalArgumentException if they do not belong together; the message is for people
     */
    public static RunFile of(List<RunFile> runs, String command) {
        RunFile first = runs.get(0);
        require(runs.size() > 1, "one run is not merged");
        for (int i = 1; i < runs.size(); i++) {
            refuseOther(first, runs.get(i), i + 1);
        }
        refuseTwice(runs);
        Clocks clocks = Clocks.of(runs);
        List<CellResult> cells = new ArrayList<>();
        Windows worst = new Windows(0, 1);
        for (int i = 0; i < first.cells().size(); i++) {
            int number = i;
            List<CellResult> parts =
                    runs.stream().map(run -> run.cells().get(number)).toList();
            Windows windows = Windows.of(parts, clocks);
            requireTogether(parts.get(0), windows);
            cells.add(MergedCell.of(parts, "merged from " + runs.size() + " runs, " + windows.text()));
            worst = worst.orWorse(windows);
        }
        Map<String, String> plan = joined(runs.stream().map(RunFile::plan).toList());
        plan.put(RunFile.MERGED, runs.size() + " runs, " + worst.text() + "; " + clocks.text());
        return RunFile.of(
                first.title() + " (" + runs.size() + " runs)",
                runs.stream().map(RunFile::started).min(String::compareTo).orElseThrow(),
                command,
                joined(runs.stream().map(RunFile::environment).toList()),
                plan,
                cells);
    }

    private static void requireTogether(CellResult cell, Windows windows) {
        require(
                windows.common() >= LEAST_COMMON,
                String.format(
                        Locale.ROOT,
                        "the windows of %s have %.0f %% in common, and began %.0f ms apart",
                        ResultLine.name(cell),
                        windows.common() * 100,
                        windows.apartMillis()));
    }

    private static void require(boolean good, String reason) {
        if (!good) {
            throw new IllegalArgumentException("the runs do not belong together: " + reason);
        }
    }

    private static void refuseOther(RunFile first, RunFile other, int number) {
        String which = "run " + number + ": ";
        require(first.experiment() == null && other.experiment() == null, which + "replays are not merged");
        require(first.title().equals(other.title()), which + other.title() + ", not " + first.title());
        require(
                !first.plan().containsKey(RunFile.ENDED_EARLY) && !other.plan().containsKey(RunFile.ENDED_EARLY),
                which + "not all cells were measured");
        Set<String> settings = new LinkedHashSet<>(first.plan().keySet());
        settings.addAll(other.plan().keySet());
        settings.removeAll(OWN);
        for (String setting : settings) {
            String one = first.plan().get(setting);
            String two = other.plan().get(setting);
            require(Objects.equals(one, two), which + setting + " " + two + ", not " + one);
        }
        List<String> cells = names(first);
        require(cells.equals(names(other)), which + "cells " + names(other) + ", not " + cells);
        require(
                first.cells().stream().allMatch(cell -> cell.windowStartMillis() != null)
                        && other.cells().stream().allMatch(cell -> cell.windowStartMillis() != null),
                which + "it is not known when its windows began");
    }

    /** The cells in their order. Clients and rate may differ from machine to machine. */
    private static List<String> names(RunFile run) {
        return run.cells().stream()
                .map(cell -> {
                    Map<String, String> parameters = new LinkedHashMap<>(cell.parameters());
                    parameters.remove("clients");
                    parameters.computeIfPresent("rate", (name, value) -> "any");
                    return ResultLine.name(cell.label(), parameters) + " " + (cell.repetition() + 1);
                })
                .toList();
    }

    private static void refuseTwice(List<RunFile> runs) {
        long different = runs.stream()
                .map(run -> run.cells().stream()
                        .map(cell -> cell.windowStartMillis() + cell.histogram())
                        .toList())
                .distinct()
                .count();
        require(different == runs.size(), "one is given twice");
    }

    /** The facts of all runs: one value where the runs agree, else the values of all. */
    private static Map<String, String> joined(List<Map<String, String>> facts) {
        Set<String> names = new LinkedHashSet<>();
        facts.forEach(one -> names.addAll(one.keySet()));
        Map<String, String> joined = new LinkedHashMap<>();
        for (String name : names) {
            joined.put(
                    name,
                    facts.stream()
                            .map(one -> one.getOrDefault(name, "unknown"))
                            .distinct()
                            .collect(Collectors.joining("; ")));
        }
        return joined;
    }

    /**
     * How far each machine's clock is behind the server's.
     *
     * @param aheadMillis   the server's time less the machine's; all 0 if one is not known
     * @param precisionMillis bound on the error of their distance; NaN if one is not known
     */
    private record Clocks(List<Double> aheadMillis, double precisionMillis) {

        static Clocks of(List<RunFile> runs) {
            List<Double> middles = new ArrayList<>();
            double widest = 0;
            for (RunFile run : runs) {
                Matcher told = CLOCK.matcher(run.environment().getOrDefault(SERVER_CLOCK, ""));
                if (!told.matches()) {
                    return new Clocks(runs.stream().map(one -> 0.0).toList(), Double.NaN);
                }
                double low = Double.parseDouble(told.group(1));
                double high = Double.parseDouble(told.group(2));
                middles.add((low + high) / 2);
                widest = Math.max(widest, high - low);
            }
            return new Clocks(middles, widest);
        }

        String text() {
            if (Double.isNaN(precisionMillis)) {
                return "how far apart their clocks are is not known";
            }
            double most =
                    aheadMillis.stream().mapToDouble(Double::doubleValue).max().orElse(0);
            double least =
                    aheadMillis.stream().mapToDouble(Double::doubleValue).min().orElse(0);
            return String.format(
                    Locale.ROOT,
                    "their clocks are %.0f ms apart, give or take %.0f ms, by the server's Date",
                    most - least,
                    precisionMillis);
        }
    }

    /**
     * The windows of one cell, by the server's clock if it is known, else by the clock of each machine.
     *
     * @param apartMillis from the first beginning to the last
     * @param common      the part of the longest window that all have in common, 0 to 1
     */
    private record Windows(double apartMillis, double common) {

        static Windows of(List<CellResult> parts, Clocks clocks) {
            double firstStart = Double.POSITIVE_INFINITY;
            double lastStart = Double.NEGATIVE_INFINITY;
            double firstEnd = Double.POSITIVE_INFINITY;
            double longest = 0;
            for (int i = 0; i < parts.size(); i++) {
                double start = Objects.requireNonNull(parts.get(i).windowStartMillis())
                        + clocks.aheadMillis().get(i);
                double length = parts.get(i).windowSeconds() * MILLIS;
                firstStart = Math.min(firstStart, start);
                lastStart = Math.max(lastStart, start);
                firstEnd = Math.min(firstEnd, start + length);
                longest = Math.max(longest, length);
            }
            return new Windows(lastStart - firstStart, Math.max(0, firstEnd - lastStart) / longest);
        }

        Windows orWorse(Windows other) {
            return new Windows(Math.max(apartMillis, other.apartMillis), Math.min(common, other.common));
        }

        String text() {
            return String.format(
                    Locale.ROOT, "windows began %.0f ms apart and have %.1f %% in common", apartMillis, common * 100);
        }
    }
}
