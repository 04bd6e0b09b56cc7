package dev.millrace.load.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.load.host.ServerCpu;
import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsClient;
import dev.millrace.load.http.TlsSettings;
import dev.millrace.load.scenario.Fetch;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * CPU time that a server reports by HTTP, for a server on another machine or in another PID namespace. Three forms are
 * read: the sample application's {@code /stats} (JSON with {@code cpuMillis}), Prometheus' text with the counter
 * {@code process_cpu_seconds_total}, and a number of seconds. Each reading costs the server a connection and a
 * request. Immutable.
 *
 * @param uri             http or https
 * @param isOnThisMachine whether the server shares this machine's cores
 * @param tls             how TLS connections are made
 */
public record ReportedCpu(URI uri, boolean isOnThisMachine, TlsSettings tls) implements ServerCpu {

    private static final int TIMEOUT_MILLIS = 5000;
    private static final int MOST_BYTES = 4 << 20;
    private static final int NANOS_PER_SECOND_DIGITS = 9;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final ObjectMapper JSON = new ObjectMapper();
    /** A sample of Prometheus' exposition format, with or without labels; a timestamp may follow. */
    private static final Pattern SECONDS_TOTAL =
            Pattern.compile("(?m)^process_cpu_seconds_total(?:\\{[^}\\n]*})?[ \\t]+(\\S+)");

    @Override
    public OptionalLong nanos() {
        try {
            return OptionalLong.of(read());
        } catch (IOException ignored) {
            // A caller that needs the reason calls read(). A missing figure is noted with the cell.
            return OptionalLong.empty();
        }
    }

    /**
     * Asks the server.
     *
     * @return CPU time used so far in nanoseconds
     * @throws IOException if the server does not report it; the message is for people
     */
    public long read() throws IOException {
        try {
            Fetch fetch = new Fetch(TIMEOUT_MILLIS, tls, Protocol.HTTP1);
            byte[] body = fetch.body(Target.of(uri.toString()), List.of(), MOST_BYTES);
            return nanos(new String(body, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw unreadable(TlsClient.reason(e), e);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw unreadable(e.getMessage(), e);
        }
    }

    private IOException unreadable(@Nullable String reason, Exception cause) {
        String shown = Target.withoutPasswords(uri.toString());
        return new IOException("cannot read the server's CPU time at " + shown + ": " + reason, cause);
    }

    /** The CPU time in an answer, in nanoseconds. */
    static long nanos(String text) throws IOException {
        String answer = text.strip();
        if (answer.startsWith("{")) {
            JsonNode millis = JSON.readTree(answer).path("cpuMillis");
            if (!millis.isNumber()) {
                throw new IOException("no cpuMillis in the answer");
            }
            return Math.multiplyExact(millis.longValue(), NANOS_PER_MILLI);
        }
        Matcher sample = SECONDS_TOTAL.matcher(answer);
        if (sample.find()) {
            return seconds(sample.group(1));
        }
        if (answer.lines().count() > 1) {
            throw new IOException("no process_cpu_seconds_total in the answer");
        }
        return seconds(answer);
    }

    private static long seconds(String number) throws IOException {
        try {
            return new BigDecimal(number)
                    .movePointRight(NANOS_PER_SECOND_DIGITS)
                    .longValue();
        } catch (NumberFormatException e) {
            throw new IOException(
                    "neither JSON with cpuMillis, nor process_cpu_seconds_total, nor a number of seconds", e);
        }
    }
}
