package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsSettings;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.server.Servers;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for a run: its servers, the order and repetition of its cells, and the bounds of a valid result. */
final class RunOptions {

    private static final List<String> VERDICTS = List.of("server-bound", "client-bound", "latency-bound", "box-bound");

    @Option(
            names = "--label",
            split = ",",
            paramLabel = "NAME",
            description =
                    "Name of the server variant, one for each URL (default with several: host and port, and the path "
                            + "where they are the same).")
    private @Nullable List<String> labels;

    @Option(
            names = "--repeat",
            defaultValue = "1",
            paramLabel = "N",
            description = "Runs all cells so often; results then carry 95 %% intervals (default: ${DEFAULT-VALUE}).")
    private int repeat;

    @Mixin
    private Deciding deciding;

    @Option(
            names = "--order",
            paramLabel = "fixed|random|abba",
            description = "Order of the cells within each repetition; random is seeded, abba turns around every other "
                    + "one (default: fixed, abba with --budget).")
    private Schedule.@Nullable Order order;

    @Option(
            names = "--server-pid",
            split = ",",
            paramLabel = "PID",
            description = "The servers' processes, for their CPU time (default: found by port on this machine).")
    private @Nullable List<Long> pids;

    @Option(
            names = "--server-cpu-url",
            split = ",",
            paramLabel = "URL",
            description =
                    "Where the servers tell their CPU time, for those on other machines: JSON with cpuMillis, as the "
                            + "sample application's /stats, Prometheus' process_cpu_seconds_total, or a number of seconds.")
    private @Nullable List<URI> cpuUrls;

    @Option(
            names = "--server-cmd",
            paramLabel = "COMMAND",
            description = "Starts the server, again for each repetition; given once for each URL.")
    private List<String> commands = List.of();

    @Option(
            names = "--max-cov",
            paramLabel = "PERCENT",
            description =
                    "A cell is invalid if throughput per second varies more, or if it lasts less than 2s (default: any).")
    private @Nullable String maxCov;

    @Option(
            names = "--max-steal",
            paramLabel = "PERCENT",
            description =
                    "A cell is invalid if the hypervisor took more of the cores, or if that is not known, as of a "
                            + "window below 2s (default: any).")
    private @Nullable String maxSteal;

    @Option(
            names = "--max-other",
            paramLabel = "PERCENT",
            description =
                    "A cell is invalid if processes other than server and client took more of the cores, or if that "
                            + "is not known, as of a window below 2s (default: any).")
    private @Nullable String maxOther;

    @Option(
            names = "--start-at",
            paramLabel = "TIME",
            description = "Begins the load at this moment, the same on several machines: 2030-01-31T12:00:00Z, or "
                    + "seconds since 1970. report --merge adds their runs up.")
    private @Nullable String startAt;

    @Option(
            names = "--require",
            paramLabel = "VERDICT",
            description = "A cell is invalid if it is not server-bound, client-bound, latency-bound or box-bound, "
                    + "or if that is not known. Not with --rate, by which the clock bounds throughput.")
    private @Nullable String required;

    @Option(
            names = "--max-errors",
            defaultValue = "0",
            paramLabel = "N",
            description = "Errors of all cells together that do not change the exit code (default: ${DEFAULT-VALUE}).")
    private long maxErrors;

    @Option(
            names = "--fail-if",
            paramLabel = "CONDITION",
            description =
                    "Exit 1 if this is true of a cell, such as 'p99>50ms', 'errors>0', 'cpu>30us' (the server's, for "
                            + "each request) or 'throughput<1000'; the mean of its repetitions counts. A percentile that is not "
                            + "known fails: p99 takes 100 answers.")
    private List<String> failIf = List.of();

    @Option(
            names = "--cooldown",
            defaultValue = "none",
            paramLabel = "none|TIME|auto",
            description = "Rest between cells; auto: until few sockets rest in TIME_WAIT, at most 60s "
                    + "(default: ${DEFAULT-VALUE}).")
    private String coolDown;

    @Option(names = "--dry-run", description = "Prints the cells and the time they will take, and stops.")
    private boolean dryRun;

    /** Checks the values that picocli does not check. */
    void validate(int urls) {
        require(repeat > 0 && repeat <= Deciding.MOST_ROUNDS, "--repeat must be 1 to " + Deciding.MOST_ROUNDS);
        require(maxErrors >= 0, "--max-errors must not be negative");
        deciding.validate(urls, repeat);
        require(labels == null || labels.size() == urls, "--label must name each of the " + urls + " URLs");
        require(labels == null || labels.stream().distinct().count() == urls, "--label must name each URL differently");
        requireEach("--server-pid", pids, urls);
        requireEach("--server-cmd", commands.isEmpty() ? null : commands, urls);
        require(commands.isEmpty() || pids == null, "--server-cmd and --server-pid exclude each other");
        for (long pid : pids == null ? List.<Long>of() : pids) {
            require(ProcessHandle.of(pid).isPresent(), "no process " + pid);
        }
        require(cpuUrls == null || pids == null, "--server-cpu-url and --server-pid exclude each other");
        requireEach("--server-cpu-url", cpuUrls, urls);
        require(
                cpuUrls == null || cpuUrls.stream().allMatch(RunOptions::isHttp),
                "--server-cpu-url takes http or https URLs");
        require(
                required == null || VERDICTS.contains(required),
                "--require takes one of " + String.join(", ", VERDICTS));
        limits();
        coolDown();
        gates();
        start();
    }

    private static void requireEach(String option, @Nullable List<?> values, int urls) {
        require(values == null || values.size() == urls, option + " must be given for each of the " + urls + " URLs");
    }

    private static boolean isHttp(URI url) {
        return ("http".equals(url.getScheme()) || "https".equals(url.getScheme())) && url.getHost() != null;
    }

    /** A name for each URL. The name of a single one is empty by default. */
    List<String> labels(List<Target> targets) {
        if (labels != null) {
            return labels;
        }
        return targets.size() == 1 ? List.of("") : names(targets);
    }

    /** Different names, because results of one name count as repetitions of one cell. */
    private static List<String> names(List<Target> targets) {
        List<String> hosts = targets.stream().map(Target::hostField).toList();
        if (Set.copyOf(hosts).size() == hosts.size()) {
            return hosts;
        }
        List<String> names = new ArrayList<>();
        Map<String, Integer> count = new HashMap<>();
        for (Target target : targets) {
            String name = target.hostField() + target.requestTarget();
            int number = count.merge(name, 1, Integer::sum);
            names.add(number == 1 ? name : name + " (" + number + ")");
        }
        return names;
    }

    RunSettings.Limits limits() {
        return new RunSettings.Limits(
                percent("--max-cov", maxCov),
                percent("--max-steal", maxSteal),
                percent("--max-other", maxOther),
                required);
    }

    private static @Nullable Double percent(String option, @Nullable String text) {
        if (text == null) {
            return null;
        }
        double value = Units.percent(option, text);
        require(value >= 0, option + " must not be negative");
        return value;
    }

    Schedule schedule(long seed) {
        return new Schedule(deciding.goesOn() ? deciding.mostRounds() : repeat, order(), seed);
    }

    private Schedule.Order order() {
        return order != null ? order : deciding.goesOn() ? Schedule.Order.ABBA : Schedule.Order.FIXED;
    }

    /** The options that say when a run ends whose servers are compared. */
    Deciding deciding() {
        return deciding;
    }

    /** The servers at these URLs. The output of those with a command goes to the folder, if it is not null. */
    Servers servers(List<Target> targets, @Nullable Path logFolder, TlsSettings tls) {
        List<String> names = labels(targets);
        List<Servers.Entry> entries = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            entries.add(new Servers.Entry(
                    names.get(i),
                    targets.get(i),
                    pids == null ? null : pids.get(i),
                    cpuUrls == null ? null : cpuUrls.get(i),
                    commands.isEmpty() ? null : commands.get(i)));
        }
        return new Servers(entries, logFolder, tls);
    }

    /** Whether the servers are children of this program, which the terminal's Ctrl-C ends too. */
    boolean startsServers() {
        return !commands.isEmpty();
    }

    List<Gate> gates() {
        return failIf.stream()
                .map(text -> UsageException.parse("--fail-if: ", () -> Gate.of(text)))
                .toList();
    }

    /** The moment at which the load begins; empty for at once. */
    Optional<StartTime> start() {
        return Optional.ofNullable(startAt).map(text -> UsageException.parse("--start-at: ", () -> StartTime.of(text)));
    }

    long maxErrors() {
        return maxErrors;
    }

    CoolDown coolDown() {
        return UsageException.parse("--cooldown: ", () -> CoolDown.of(coolDown));
    }

    boolean dryRun() {
        return dryRun;
    }

    /** Repetition and order for the report. */
    String describe() {
        return (deciding.goesOn() ? "until decided" : repeat + " x") + ", order "
                + order().name().toLowerCase(Locale.ROOT);
    }
}
