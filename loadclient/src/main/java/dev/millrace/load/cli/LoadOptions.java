package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsSettings;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.scenario.ExpectingWorkload;
import dev.millrace.load.scenario.Workload;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for the load: how much, of which kind, and for how long. */
final class LoadOptions {

    private static final Duration UNBOUNDED = Duration.ofHours(24);
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(10);
    private static final Duration LEAST_DETECTED = Duration.ofSeconds(10);
    private static final Duration MOST_DETECTED = Duration.ofSeconds(60);
    /** A bound against mistakes: each stream is an object of its client. */
    private static final int MOST_STREAMS = 100_000;
    /** A bound against mistakes: a clock of nanoseconds tells no more of them apart. */
    private static final double MOST_RATE = 1e9;
    /** For example {@code 5x3s+2s}. */
    private static final Pattern BURSTS = Pattern.compile("([1-9]\\d{0,3})x([^+]+)(?:\\+(.+))?");

    @Option(
            names = {"-c", "--clients"},
            split = ",",
            defaultValue = "8",
            paramLabel = "N",
            description = "Clients, each a thread with one connection (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients;

    @Option(
            names = "--keepalive",
            split = ",",
            paramLabel = "on|off",
            description = "Whether connections are used again (default: on).")
    private @Nullable List<String> keepAlive;

    @Option(names = "--disable-keepalive", description = "The same as --keepalive=off.")
    private boolean keepAliveDisabled;

    @Option(
            names = {"-R", "--rate"},
            split = ",",
            defaultValue = "0",
            paramLabel = "N",
            description = "Requests per second of all clients together, sent by the clock (open model); latency then "
                    + "runs from the moment a request was due (default: closed model, as fast as answers come).")
    private List<Double> rates;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            description = "Length of the measured window of each cell (default: 10s).")
    private @Nullable Duration duration;

    @Option(
            names = {"-n", "--requests"},
            defaultValue = "0",
            paramLabel = "N",
            description = "Ends the window after so many requests; with --rate, when so many were due.")
    private long requests;

    @Option(
            names = "--warmup",
            defaultValue = "2s",
            paramLabel = "TIME|NxTIME+REST|auto",
            description = "Load before the window, thrown away; 5x3s+2s: five bursts of 3 s, after each a rest of 2 s; "
                    + "auto: until throughput is steady and the server's compilers rest (default: ${DEFAULT-VALUE}).")
    private String warmup;

    @Option(
            names = "--max-warmup",
            paramLabel = "TIME",
            description = "Bound on --warmup=auto, at least 10s (default: 60s).")
    private @Nullable Duration maxWarmup;

    @Option(
            names = "--timeout",
            defaultValue = "30s",
            paramLabel = "TIME",
            description = "Bound on connecting and on waiting for an answer; in a download, for its next bytes "
                    + "(default: ${DEFAULT-VALUE}).")
    private Duration timeout;

    @Option(
            names = "--drain",
            defaultValue = "120s",
            paramLabel = "TIME",
            description = "How long exchanges begun in the window may go on after it, and requests due in it may still "
                    + "be sent; what is unanswered then makes a cell invalid (default: ${DEFAULT-VALUE}).")
    private Duration drain;

    @Option(
            names = "--ramp",
            defaultValue = "0s",
            paramLabel = "TIME",
            description = "Starts the clients spread over this time; with --rate at most that of the warm-up (default: "
                    + "${DEFAULT-VALUE}).")
    private Duration ramp;

    @Option(
            names = "--seed",
            defaultValue = "42",
            paramLabel = "N",
            description = "Of everything that is drawn (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--rcvbuf",
            paramLabel = "SIZE",
            description = "SO_RCVBUF of each socket (default: the system's; 64k for those of throttled clients).")
    private Units.@Nullable ByteSize receiveBuffer;

    @Option(
            names = "--source-ip",
            paramLabel = "ADDRESSES",
            description =
                    "Local addresses to connect from, in turns: a comma list, or a range such as "
                            + "127.0.0.1-127.0.0.8; each has ports of its own, which net.ipv4.tcp_tw_reuse does not free sooner.")
    private @Nullable String sources;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "'Name: value'",
            description = "A further request field.")
    private List<String> headers = List.of();

    @Option(
            names = "--expect-header",
            paramLabel = "NAME[=VALUE]",
            description = "A field that each answer must carry, with this value or with any.")
    private List<String> expected = List.of();

    @Option(
            names = "--protocol",
            split = ",",
            defaultValue = "http1",
            paramLabel = "http1|h2|h2c",
            description =
                    "h2 or http2: HTTP/2 over TLS, agreed on by ALPN; h2c: HTTP/2 in clear text, by prior knowledge "
                            + "(default: ${DEFAULT-VALUE}).")
    private List<Protocol> protocols;

    @Option(
            names = "--streams",
            split = ",",
            defaultValue = "1",
            paramLabel = "N",
            description = "Requests that each client has under way at once, in HTTP/2 (default: ${DEFAULT-VALUE}).")
    private List<Integer> streams;

    @Mixin
    private TlsOptions tls;

    /** Checks the values that picocli does not check. */
    void validate() {
        tls.settings();
        require(streams.stream().allMatch(n -> n > 0), "--streams must be above 0");
        require(streams.stream().allMatch(n -> n <= MOST_STREAMS), "--streams must be at most " + MOST_STREAMS);
        boolean several = streams.stream().anyMatch(n -> n > 1);
        require(!several || !protocols.contains(Protocol.HTTP1), "--streams is for --protocol=h2 and h2c");
        require(
                !several || rates.stream().allMatch(rate -> rate == 0),
                "--rate takes --streams=1: more clients send more requests at once");
        require(!several || !keepAlive().contains(false), "--keepalive=off takes --streams=1");
        require(clients.stream().allMatch(n -> n > 0), "--clients must be above 0");
        require(keepAlive == null || !keepAliveDisabled, "--keepalive and --disable-keepalive exclude each other");
        require(
                keepAlive == null || keepAlive.stream().allMatch(value -> value.equals("on") || value.equals("off")),
                "--keepalive takes on or off");
        require(
                rates.stream().allMatch(rate -> rate >= 0 && !rate.isInfinite() && !rate.isNaN()),
                "--rate takes numbers that are not negative");
        require(rates.stream().allMatch(rate -> rate <= MOST_RATE), "--rate must be at most 1,000,000,000");
        require(requests >= 0, "--requests must not be negative");
        require(duration == null || !duration.isZero(), "--duration must be above 0");
        require(!timeout.isZero(), "--timeout must be above 0");
        require(timeout.toMillis() <= Integer.MAX_VALUE, "--timeout must be at most 596h");
        require(
                headers.stream().allMatch(header -> header.matches("[!#-'*+.^_`|~0-9A-Za-z-]+:[^\\r\\n]*")),
                "--header takes 'Name: value'");
        require(
                headers.stream().allMatch(StandardCharsets.ISO_8859_1.newEncoder()::canEncode),
                "--header takes characters of ISO 8859-1: fields have no others");
        require(
                headers.stream().noneMatch(header -> header.matches("(?is)(Content-Length|Transfer-Encoding):.*")),
                "--header takes neither Content-Length nor Transfer-Encoding: they are those of the body");
        require(
                headers.stream()
                                .filter(header -> header.matches("(?is)Host:.*"))
                                .count()
                        <= 1,
                "--header takes one Host");
        require(
                expected.stream().allMatch(field -> field.matches("[!#-'*+.^_`|~0-9A-Za-z-]+(=.*)?")),
                "--expect-header takes NAME or NAME=VALUE");
        require(receiveBuffer == null || receiveBuffer.bytes() <= Integer.MAX_VALUE, "--rcvbuf is too large");
        require(
                ramp.compareTo(warmup().total()) <= 0 || rates.stream().allMatch(rate -> rate == 0),
                "--ramp must not be longer than --warmup: clients that begin in the window cannot keep the --rate");
        sources();
    }

    List<Target> targets(List<String> urls) {
        List<Target> targets =
                UsageException.parse("", () -> urls.stream().map(Target::of).toList());
        for (Target target : targets) {
            for (Protocol protocol : protocols) {
                require(
                        protocol.suits(target),
                        "--protocol=" + protocol.label() + " takes " + (target.secure() ? "http" : "https")
                                + " URLs, not " + target.uri());
            }
        }
        return targets;
    }

    List<Boolean> keepAlive() {
        return keepAlive == null
                ? List.of(!keepAliveDisabled)
                : keepAlive.stream().map("on"::equals).toList();
    }

    List<String> headers() {
        return headers;
    }

    /**
     * The cells of some workloads, one for each label, with every rate and number of clients. Variants vary fastest, so
     * that cells to be compared are measured next to each other.
     */
    List<Cell> cells(List<String> labels, List<? extends Workload> workloads, long limitRate) {
        List<Cell> cells = new ArrayList<>();
        for (Protocol protocol : protocols) {
            for (double rate : rates) {
                for (int count : clients) {
                    for (int parallel : streams) {
                        for (int i = 0; i < labels.size(); i++) {
                            Workload workload = ExpectingWorkload.of(workloads.get(i), expected);
                            cells.add(new Cell(labels.get(i), count, rate, limitRate, protocol, parallel, workload));
                        }
                    }
                }
            }
        }
        return cells;
    }

    long seed() {
        return seed;
    }

    int timeoutMillis() {
        return Math.toIntExact(timeout.toMillis());
    }

    List<Protocol> protocols() {
        return protocols;
    }

    /** Whether a clock says when requests of some cells are sent. */
    boolean hasRate() {
        return rates.stream().anyMatch(rate -> rate > 0);
    }

    /** Whether clients may turn from one server to another. */
    boolean canTakeTurns() {
        return requests == 0 && !hasRate() && !multiplexed();
    }

    /** Whether clients have several requests under way at once. */
    boolean multiplexed() {
        return streams.stream().anyMatch(n -> n > 1);
    }

    /** How TLS connections are made. */
    TlsSettings tls() {
        return tls.settings();
    }

    private List<InetAddress> sources() {
        return sources == null ? List.of() : SourceAddresses.parse(sources);
    }

    private RunSettings.Warmup warmup() {
        if (warmup.equals("auto")) {
            Duration most = maxWarmup == null ? MOST_DETECTED : maxWarmup;
            require(most.compareTo(LEAST_DETECTED) >= 0, "--max-warmup must be at least 10s");
            return RunSettings.Warmup.detected(LEAST_DETECTED, most);
        }
        require(maxWarmup == null, "--max-warmup is for --warmup=auto");
        return UsageException.parse("Invalid value for option '--warmup': ", () -> fixedWarmup(warmup));
    }

    private static RunSettings.Warmup fixedWarmup(String text) {
        Matcher bursts = BURSTS.matcher(text);
        if (!bursts.matches()) {
            return RunSettings.Warmup.of(Units.duration(text));
        }
        Duration rest = bursts.group(3) == null ? Duration.ZERO : Units.duration(bursts.group(3));
        return RunSettings.Warmup.of(Integer.parseInt(bursts.group(1)), Units.duration(bursts.group(2)), rest);
    }

    /** The settings of all cells; 0 for the default number of bytes that a throttled client reads at once. */
    RunSettings settings(int quantumBytes, RunSettings.Limits limits) {
        Duration window = duration != null ? duration : requests > 0 ? UNBOUNDED : DEFAULT_DURATION;
        int buffer = receiveBuffer != null ? Math.toIntExact(receiveBuffer.bytes()) : 0;
        return new RunSettings(
                warmup(), window, requests, timeout, drain, ramp, seed, buffer, quantumBytes, sources(), tls(), limits);
    }

    /** The settings for the report. */
    Map<String, String> facts(RunSettings settings) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("warm-up", warmup);
        String length = RunSettings.text(settings.duration());
        String bound = duration == null ? "" : ", at most " + length;
        facts.put("window", requests > 0 ? requests + " requests" + bound : length);
        facts.put("timeout", RunSettings.text(timeout));
        facts.put("drain", RunSettings.text(drain));
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
        if (!ramp.isZero()) {
            facts.put("ramp", RunSettings.text(ramp));
        }
        if (!headers.isEmpty()) {
            // Values may be secrets, and a report is shown to others.
            facts.put(
                    "request fields",
                    headers.stream()
                            .map(header -> header.substring(0, header.indexOf(':')))
                            .collect(Collectors.joining(", ")));
        }
        if (!expected.isEmpty()) {
            facts.put("expected fields", String.join(", ", expected));
        }
        if (!tls.describe().isEmpty()) {
            facts.put("TLS", tls.describe());
        }
        return facts;
    }
}
