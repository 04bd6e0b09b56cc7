package dev.millrace.load;

import dev.millrace.load.http.Target;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.scenario.ExpectingWorkload;
import dev.millrace.load.scenario.Workload;
import java.net.InetAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that say how much load there is and for how long. */
final class LoadOptions {

    private static final Duration UNBOUNDED = Duration.ofHours(24);
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(10);
    private static final Duration LEAST_DETECTED = Duration.ofSeconds(10);
    /** Such as {@code 5x3s+2s}. */
    private static final Pattern BURSTS = Pattern.compile("([1-9]\\d{0,3})x([^+]+)(?:\\+(.+))?");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = {"-c", "--clients"}, split = ",", defaultValue = "8", paramLabel = "N",
            description = "Clients, each a thread with one connection (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients;

    @Option(names = "--keepalive", split = ",", paramLabel = "on|off",
            description = "Whether connections are used again (default: on).")
    private List<String> keepAlive;

    @Option(names = "--disable-keepalive", description = "The same as --keepalive=off.")
    private boolean keepAliveDisabled;

    @Option(names = {"-R", "--rate"}, split = ",", defaultValue = "0", paramLabel = "N",
            description = "Requests per second of all clients together, sent by the clock (open model); latency then "
                    + "runs from the moment a request was due (default: closed model, as fast as answers come).")
    private List<Double> rates;

    @Option(names = {"-d", "--duration"}, paramLabel = "TIME",
            description = "Length of the measured window of each cell (default: 10s).")
    private Duration duration;

    @Option(names = {"-n", "--requests"}, defaultValue = "0", paramLabel = "N",
            description = "Ends the window after so many requests.")
    private long requests;

    @Option(names = "--warmup", defaultValue = "2s", paramLabel = "TIME|NxTIME+REST|auto",
            description = "Load before the window, thrown away; 5x3s+2s: five bursts of 3 s, after each a rest of 2 s; "
                    + "auto: until throughput is steady and the server's compilers rest (default: ${DEFAULT-VALUE}).")
    private String warmup;

    @Option(names = "--max-warmup", defaultValue = "60s", paramLabel = "TIME",
            description = "Bound on --warmup=auto, at least 10s (default: ${DEFAULT-VALUE}).")
    private Duration maxWarmup;

    @Option(names = "--timeout", defaultValue = "30s", paramLabel = "TIME",
            description = "Bound on connecting and on waiting for an answer; in a download, for its next bytes "
                    + "(default: ${DEFAULT-VALUE}).")
    private Duration timeout;

    @Option(names = "--drain", defaultValue = "120s", paramLabel = "TIME",
            description = "How long exchanges begun in the window may go on after it, and requests due in it may still "
                    + "be sent; what is unanswered then makes a cell invalid (default: ${DEFAULT-VALUE}).")
    private Duration drain;

    @Option(names = "--ramp", defaultValue = "0s", paramLabel = "TIME",
            description = "Starts the clients spread over this time; with --rate at most that of the warm-up (default: "
                    + "${DEFAULT-VALUE}).")
    private Duration ramp;

    @Option(names = "--seed", defaultValue = "42", paramLabel = "N",
            description = "Of everything that is drawn (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--rcvbuf", paramLabel = "SIZE",
            description = "SO_RCVBUF of each socket (default: the system's; 64k for those of throttled clients).")
    private Units.ByteSize receiveBuffer;

    @Option(names = "--source-ip", paramLabel = "ADDRESSES",
            description = "Local addresses to connect from, in turns: a comma list, or a range such as "
                    + "127.0.0.1-127.0.0.8; each has ports of its own, which net.ipv4.tcp_tw_reuse does not free sooner.")
    private String sources;

    @Option(names = {"-H", "--header"}, paramLabel = "'Name: value'", description = "A further request field.")
    private List<String> headers = List.of();

    @Option(names = "--expect-header", paramLabel = "NAME[=VALUE]",
            description = "A field that each answer must carry, with this value or with any.")
    private List<String> expected = List.of();

    /** Checks what picocli cannot. */
    void validate() {
        require(clients.stream().allMatch(n -> n > 0), "--clients must be above 0");
        require(keepAlive == null || !keepAliveDisabled, "--keepalive and --disable-keepalive exclude each other");
        require(keepAlive == null || keepAlive.stream().allMatch(value -> value.equals("on") || value.equals("off")),
                "--keepalive takes on or off");
        require(rates.stream().allMatch(rate -> rate >= 0 && !rate.isInfinite() && !rate.isNaN()),
                "--rate must not be negative");
        require(requests >= 0, "--requests must not be negative");
        require(duration == null || !duration.isZero(), "--duration must be above 0");
        require(!timeout.isZero() && timeout.toMillis() <= Integer.MAX_VALUE, "--timeout must be above 0");
        require(headers.stream().allMatch(header -> header.matches("[!#-'*+.^_`|~0-9A-Za-z-]+:[^\\r\\n]*")),
                "--header takes 'Name: value'");
        require(headers.stream().noneMatch(header -> header.matches("(?is)(Content-Length|Transfer-Encoding):.*")),
                "--header takes neither Content-Length nor Transfer-Encoding: they are those of the body");
        require(headers.stream().filter(header -> header.matches("(?is)Host:.*")).count() <= 1,
                "--header takes one Host");
        require(expected.stream().allMatch(field -> field.matches("[!#-'*+.^_`|~0-9A-Za-z-]+(=.*)?")),
                "--expect-header takes NAME or NAME=VALUE");
        require(receiveBuffer == null || receiveBuffer.bytes() <= Integer.MAX_VALUE, "--rcvbuf is too large");
        require(ramp.compareTo(warmup().total()) <= 0 || rates.stream().allMatch(rate -> rate == 0),
                "--ramp must not be longer than --warmup: clients that begin in the window cannot keep the --rate");
        sources();
    }

    void require(boolean condition, String message) {
        if (!condition) {
            throw usage(message);
        }
    }

    ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    CommandLine line() {
        return spec.commandLine();
    }

    List<Target> targets(List<String> urls) {
        try {
            return urls.stream().map(Target::of).toList();
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    List<Integer> clients() {
        return clients;
    }

    List<Boolean> keepAlive() {
        return keepAlive == null ? List.of(!keepAliveDisabled) : keepAlive.stream().map("on"::equals).toList();
    }

    List<Double> rates() {
        return rates;
    }

    List<String> headers() {
        return headers;
    }

    /** The work with the header fields that its answers must carry. */
    Workload expecting(Workload work) {
        return ExpectingWorkload.of(work, expected);
    }

    long seed() {
        return seed;
    }

    Duration timeout() {
        return timeout;
    }

    private List<InetAddress> sources() {
        try {
            return sources == null ? List.of() : SourceAddresses.parse(sources);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    private RunSettings.Warmup warmup() {
        if (warmup.equals("auto")) {
            require(maxWarmup.compareTo(LEAST_DETECTED) >= 0, "--max-warmup must be at least 10s");
            return RunSettings.Warmup.detected(LEAST_DETECTED, maxWarmup);
        }
        try {
            Matcher bursts = BURSTS.matcher(warmup);
            if (!bursts.matches()) {
                return RunSettings.Warmup.of(Units.duration(warmup));
            }
            Duration rest = bursts.group(3) == null ? Duration.ZERO : Units.duration(bursts.group(3));
            return RunSettings.Warmup.of(Integer.parseInt(bursts.group(1)), Units.duration(bursts.group(2)), rest);
        } catch (CommandLine.TypeConversionException e) {
            throw usage("Invalid value for option '--warmup': " + e.getMessage());
        }
    }

    /** The settings of all cells, none of which is throttled. */
    RunSettings settings(RunSettings.Limits limits) {
        return settings(0, limits);
    }

    /** The settings of all cells. */
    RunSettings settings(int quantumBytes, RunSettings.Limits limits) {
        Duration window = duration != null ? duration : requests > 0 ? UNBOUNDED : DEFAULT_DURATION;
        int buffer = receiveBuffer != null ? Math.toIntExact(receiveBuffer.bytes()) : 0;
        return new RunSettings(warmup(), window, requests, timeout, drain, ramp, seed, buffer, quantumBytes,
                sources(), limits);
    }

    /** The settings as the report shows them. */
    Map<String, String> facts(RunSettings settings) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("warm-up", warmup);
        facts.put("window", requests > 0 ? requests + " requests" : settings.duration().toString());
        facts.put("timeout", timeout.toString());
        facts.put("drain", drain.toString());
        facts.put("seed", Long.toString(seed));
        if (settings.receiveBufferBytes() > 0) {
            facts.put("SO_RCVBUF", Integer.toString(settings.receiveBufferBytes()));
        }
        if (settings.quantumBytes() > 0) {
            facts.put("bytes read at once when throttled", Integer.toString(settings.quantumBytes()));
        }
        if (sources != null) {
            facts.put("source addresses", sources);
        }
        return facts;
    }
}
