package dev.millrace.load.run;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;

/**
 * What one cell measured. Rates count the verified answers of the window only, see {@link Counts}; errors are those of
 * the whole cell.
 *
 * @param label         name of the server variant, may be empty
 * @param parameters    what tells this cell from others of the same variant
 * @param repetition    counted from 0
 * @param model         {@code closed} or {@code open}
 * @param countsBytes   whether bytes matter more than requests
 * @param windowSeconds length of the window
 * @param counts        requests, bytes, connections
 * @param errors        failures by kind
 * @param times         distributions
 * @param sizes         downloads by file size; empty when there are many sizes, or none
 * @param cpu           who used the cores
 * @param series        second by second
 * @param histogram     of latency, HdrHistogram's compressed form in base64, values in nanoseconds
 * @param verdict       what bounded the figures, {@code errors}, or {@code invalid:} and why
 * @param notes         what a reader should know besides
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record CellResult(String label, Map<String, String> parameters, int repetition, String model,
                         boolean countsBytes, double windowSeconds, Counts counts, Map<String, FaultCount> errors,
                         Times times, List<SizeResult> sizes, CpuUse cpu, Series series, String histogram,
                         String verdict, List<String> notes) {

    private static final double MICROS = 1e6;
    private static final double MILLIS = 1e3;
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final double BYTES_PER_GIGABYTE = 1e9;

    /** Verified answers per second. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double requestsPerSecond() {
        return counts.requests() / windowSeconds;
    }

    /** Body bytes per second, in units of 10^6. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double megabytesPerSecond() {
        return counts.bytes() / BYTES_PER_MEGABYTE / windowSeconds;
    }

    /** The server's CPU time per verified answer in microseconds; null when it is not known. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public Double serverMicrosPerRequest() {
        return !known(cpu.server()) || counts.requests() == 0 ? null : cpu.server() * MICROS / counts.requests();
    }

    /** The server's CPU time in milliseconds per 10^9 body bytes; null when it is not known. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public Double serverMillisPerGigabyte() {
        return !known(cpu.server()) || counts.bytes() == 0 ? null
                : cpu.server() * MILLIS / (counts.bytes() / BYTES_PER_GIGABYTE);
    }

    /** The client's own CPU time per verified answer in microseconds; null when it is not known. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public Double clientMicrosPerRequest() {
        return !known(cpu.client()) || counts.requests() == 0 ? null : cpu.client() * MICROS / counts.requests();
    }

    /** A time of 0 is one below the tick of the system's clock. */
    private static boolean known(Double cpuSeconds) {
        return cpuSeconds != null && cpuSeconds > 0;
    }

    /** Failures of all kinds. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public long errorCount() {
        return errors.values().stream().mapToLong(FaultCount::count).sum();
    }

    /** Whether the figures stand for what they say. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public boolean valid() {
        return !verdict.startsWith(Verdict.INVALID);
    }

    /** The main figure of throughput: MB/s of downloads, requests/s of others. */
    public double throughput() {
        return countsBytes ? megabytesPerSecond() : requestsPerSecond();
    }

    /** The main figure of cost: ms per GB of downloads, microseconds per request of others; null when not known. */
    public Double cost() {
        return countsBytes ? serverMillisPerGigabyte() : serverMicrosPerRequest();
    }
}
