package dev.millrace.load;

import dev.millrace.load.http.Target;
import dev.millrace.load.report.OutputFormat;
import dev.millrace.load.run.RunSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The options that say how far the figures can be trusted, and where they go. */
final class RigourOptions {

    private static final List<String> VERDICTS = List.of("server-bound", "client-bound", "latency-bound", "box-bound");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--label", split = ",", paramLabel = "NAME",
            description = "Name of the server variant, one for each URL (default with several: host and port, and the path "
                    + "where they are the same).")
    private List<String> labels;

    @Option(names = "--repeat", defaultValue = "1", paramLabel = "N",
            description = "Runs all cells so often; results then carry 95 %% intervals (default: ${DEFAULT-VALUE}).")
    private int repeat;

    @Option(names = "--order", defaultValue = "fixed", paramLabel = "fixed|random|abba",
            description = "Order of the cells within each repetition; random is seeded, abba turns around every other "
                    + "one (default: ${DEFAULT-VALUE}).")
    private Schedule.Order order;

    @Option(names = "--server-pid", split = ",", paramLabel = "PID",
            description = "The servers' processes, for their CPU time (default: found by port on this machine).")
    private List<Long> pids;

    @Option(names = "--server-cpu-url", split = ",", paramLabel = "URL",
            description = "Where the servers tell their CPU time, for those on other machines: JSON with cpuMillis, as the "
                    + "sample application's /stats, Prometheus' process_cpu_seconds_total, or a number of seconds.")
    private List<URI> cpuUrls;

    @Option(names = "--server-cmd", paramLabel = "COMMAND",
            description = "Starts the server, again for each repetition; given once for each URL.")
    private List<String> commands = List.of();

    @Option(names = "--max-cov", paramLabel = "PERCENT",
            description = "A cell is invalid if throughput per second varies more (default: any).")
    private String maxCov;

    @Option(names = "--max-steal", paramLabel = "PERCENT",
            description = "A cell is invalid if the hypervisor took more of the cores (default: any).")
    private String maxSteal;

    @Option(names = "--require", paramLabel = "VERDICT",
            description = "A cell is invalid if it is not server-bound, client-bound, latency-bound or box-bound.")
    private String required;

    @Option(names = {"-o", "--output"}, paramLabel = "DIR",
            description = "Folder for run.json, report.html, cells.txt, cells.csv, latency.hlog and hgrm files (default: "
                    + "none).")
    private Path output;

    @Option(names = "--progress", defaultValue = "auto", paramLabel = "auto|bar|plain|none",
            description = "Progress on standard error; auto: a bar on a terminal, else a line per second "
                    + "(default: ${DEFAULT-VALUE}).")
    private Progress.Style progress;

    @Option(names = {"-q", "--quiet"}, description = "The same as --progress=none.")
    private boolean quiet;

    @Option(names = "--format", split = ",", defaultValue = "text,json,csv,html,hlog,hgrm",
            paramLabel = "text|json|csv|html|hlog|hgrm",
            description = "What --output writes (default: ${DEFAULT-VALUE}).")
    private Set<OutputFormat> formats;

    @Option(names = "--latency", description = "Prints the percentiles of latency below each cell's line.")
    private boolean latency;

    @Option(names = "--max-errors", defaultValue = "0", paramLabel = "N",
            description = "Errors of all cells together that do not change the exit code (default: ${DEFAULT-VALUE}).")
    private long maxErrors;

    @Option(names = "--cooldown", defaultValue = "none", paramLabel = "none|TIME|auto",
            description = "Rest between cells; auto: until few sockets rest in TIME_WAIT, at most 60s "
                    + "(default: ${DEFAULT-VALUE}).")
    private String coolDown;

    @Option(names = "--dry-run", description = "Prints the cells and the time they will take, and stops.")
    private boolean dryRun;

    /** Checks what picocli cannot. */
    void validate(int urls) {
        require(repeat > 0, "--repeat must be above 0");
        require(labels == null || labels.size() == urls, "--label must name each of the " + urls + " URLs");
        require(labels == null || labels.stream().distinct().count() == urls, "--label must name each URL differently");
        require(pids == null || pids.size() == urls, "--server-pid must be given for each of the " + urls + " URLs");
        require(commands.isEmpty() || commands.size() == urls,
                "--server-cmd must be given for each of the " + urls + " URLs");
        require(commands.isEmpty() || pids == null, "--server-cmd and --server-pid exclude each other");
        for (long pid : pids == null ? List.<Long>of() : pids) {
            require(ProcessHandle.of(pid).isPresent(), "no process " + pid);
        }
        require(cpuUrls == null || pids == null, "--server-cpu-url and --server-pid exclude each other");
        require(cpuUrls == null || cpuUrls.size() == urls,
                "--server-cpu-url must be given for each of the " + urls + " URLs");
        require(cpuUrls == null || cpuUrls.stream().allMatch(RigourOptions::isHttp),
                "--server-cpu-url takes http or https URLs");
        require(required == null || VERDICTS.contains(required), "--require takes one of " + String.join(", ",
                VERDICTS));
        limits();
        coolDown();
    }

    private void require(boolean condition, String message) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    private static boolean isHttp(URI url) {
        return ("http".equals(url.getScheme()) || "https".equals(url.getScheme())) && url.getHost() != null;
    }

    /** A name for each URL; a single one has none unless given. */
    List<String> labels(List<Target> targets) {
        if (labels != null) {
            return labels;
        }
        return targets.size() == 1 ? List.of("") : names(targets);
    }

    /** Results of the same name count as repetitions of one cell. */
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
        return new RunSettings.Limits(percent("--max-cov", maxCov), percent("--max-steal", maxSteal), required);
    }

    private Double percent(String option, String text) {
        if (text == null) {
            return null;
        }
        try {
            double value = Double.parseDouble(text.strip().replaceFirst("%$", ""));
            require(value >= 0, option + " must not be negative");
            return value;
        } catch (NumberFormatException e) {
            throw new ParameterException(spec.commandLine(), option + " takes per cent, not " + text, e);
        }
    }

    Schedule schedule(long seed) {
        return new Schedule(repeat, order, seed);
    }

    Servers servers(List<Target> targets) {
        List<String> names = labels(targets);
        List<Servers.Entry> entries = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            entries.add(new Servers.Entry(names.get(i), targets.get(i), pids == null ? null : pids.get(i),
                    cpuUrls == null ? null : cpuUrls.get(i), commands.isEmpty() ? null : commands.get(i)));
        }
        return new Servers(entries, output);
    }

    /** Whether the servers are this program's children, whom the terminal's Ctrl-C reaches too. */
    boolean startsServers() {
        return !commands.isEmpty();
    }

    Path output() {
        return output;
    }

    /** Makes the folder for results, if one is wanted and anything is to be measured. */
    void prepareOutput() {
        if (output != null && !dryRun) {
            OutputFolder.prepare(spec.commandLine(), output);
        }
    }

    Progress.Style progress() {
        return quiet ? Progress.Style.NONE : progress;
    }

    Set<OutputFormat> formats() {
        return formats;
    }

    boolean latency() {
        return latency;
    }

    long maxErrors() {
        return maxErrors;
    }

    CoolDown coolDown() {
        try {
            return CoolDown.of(coolDown);
        } catch (TypeConversionException e) {
            throw new ParameterException(spec.commandLine(), "--cooldown: " + e.getMessage(), e);
        }
    }

    boolean dryRun() {
        return dryRun;
    }

    String describe() {
        return repeat + " x, order " + order.name().toLowerCase(Locale.ROOT);
    }
}
