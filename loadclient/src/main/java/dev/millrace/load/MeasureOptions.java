package dev.millrace.load;

import dev.millrace.load.host.ListeningPort;
import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.http.Target;
import dev.millrace.load.run.RunSettings;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that all measuring commands have in common. */
final class MeasureOptions {

    private static final Duration UNBOUNDED = Duration.ofHours(24);
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(10);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = {"-c", "--clients"}, split = ",", defaultValue = "8", paramLabel = "N",
            description = "Clients, each a thread with one connection (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients;

    @Option(names = "--keepalive", split = ",", defaultValue = "on", paramLabel = "on|off",
            description = "Whether connections are used again (default: ${DEFAULT-VALUE}).")
    private List<String> keepAlive;

    @Option(names = {"-d", "--duration"}, paramLabel = "TIME",
            description = "Length of the measured window of each cell (default: 10s).")
    private Duration duration;

    @Option(names = {"-n", "--requests"}, defaultValue = "0", paramLabel = "N",
            description = "Ends the window after so many requests.")
    private long requests;

    @Option(names = "--warmup", defaultValue = "2s", paramLabel = "TIME",
            description = "Load before the window, thrown away (default: ${DEFAULT-VALUE}).")
    private Duration warmup;

    @Option(names = "--timeout", defaultValue = "30s", paramLabel = "TIME",
            description = "Bound on connecting and on waiting for an answer; in a download, for its next bytes "
                    + "(default: ${DEFAULT-VALUE}).")
    private Duration timeout;

    @Option(names = "--drain", defaultValue = "120s", paramLabel = "TIME",
            description = "How long exchanges begun in the window may go on after it (default: ${DEFAULT-VALUE}).")
    private Duration drain;

    @Option(names = "--seed", defaultValue = "42", paramLabel = "N",
            description = "Of everything that is drawn (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--rcvbuf", defaultValue = "0", paramLabel = "SIZE",
            description = "SO_RCVBUF of each socket (default: the system's).")
    private Units.ByteSize receiveBuffer;

    @Option(names = {"-H", "--header"}, paramLabel = "'Name: value'", description = "A further request field.")
    private List<String> headers = List.of();

    @Option(names = "--server-pid", paramLabel = "PID",
            description = "The server's process, for its CPU time (default: found by its port on this machine).")
    private Long serverPid;

    @Option(names = {"-o", "--output"}, paramLabel = "DIR",
            description = "Folder for run.json and report.html (default: none written).")
    private Path output;

    /** Checks what picocli cannot. */
    void validate() {
        require(clients.stream().allMatch(n -> n > 0), "--clients must be above 0");
        require(keepAlive.stream().allMatch(value -> value.equals("on") || value.equals("off")),
                "--keepalive takes on or off");
        require(requests >= 0, "--requests must not be negative");
        require(duration == null || !duration.isZero(), "--duration must be above 0");
        require(!timeout.isZero() && timeout.toMillis() <= Integer.MAX_VALUE, "--timeout must be above 0");
        require(headers.stream().allMatch(header -> header.matches("[!#-'*+.^_`|~0-9A-Za-z-]+:[^\\r\\n]*")),
                "--header takes 'Name: value'");
        require(serverPid == null || ProcessHandle.of(serverPid).isPresent(), "no process " + serverPid);
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

    Target target(String url) {
        try {
            return Target.of(url);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    List<Integer> clients() {
        return clients;
    }

    List<Boolean> keepAlive() {
        return keepAlive.stream().map("on"::equals).toList();
    }

    List<String> headers() {
        return headers;
    }

    Path output() {
        return output;
    }

    Duration timeout() {
        return timeout;
    }

    RunSettings settings() {
        Duration window = duration != null ? duration : requests > 0 ? UNBOUNDED : DEFAULT_DURATION;
        return new RunSettings(warmup, window, requests, timeout, drain, seed,
                Math.toIntExact(receiveBuffer.bytes()), List.of());
    }

    /** The settings as the report shows them. */
    Map<String, String> plan() {
        Map<String, String> plan = new LinkedHashMap<>();
        RunSettings settings = settings();
        plan.put("model", "closed: each client waits for the answer before it sends the next request");
        plan.put("warm-up", settings.warmup().toString());
        plan.put("window", requests > 0 ? requests + " requests" : settings.duration().toString());
        plan.put("timeout", timeout.toString());
        plan.put("seed", Long.toString(seed));
        return plan;
    }

    /** The server's process, when it is known or can be found; null otherwise. */
    ProcessCpu server(Target target) {
        if (serverPid != null) {
            return new ProcessCpu(serverPid);
        }
        if (!isLocal(target.address().getAddress())) {
            return null;
        }
        OptionalLong pid = ListeningPort.pid(target.address().getPort());
        return pid.isPresent() ? new ProcessCpu(pid.getAsLong()) : null;
    }

    private static boolean isLocal(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException ignored) {
            // The interfaces cannot be listed: take the server for a remote one, its CPU time stays unknown.
            return false;
        }
    }
}
