package dev.millrace.load.run;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one cell. Rates count the verified answers of the window only, see {@link Counts}. Errors are those of
 * the whole cell. Immutable.
 *
 * @param label         name of the server variant, may be empty
 * @param parameters    settings in which cells of one variant differ
 * @param repetition    counted from 0
 * @param model         {@code closed} or {@code open}
 * @param countsBytes   whether bytes matter more than requests
 * @param windowSeconds length of the window
 * @param counts        requests, bytes, connections
 * @param errors        failures by kind
 * @param times         distributions
 * @param sizes         downloads by file size; empty when there are many sizes, or none
 * @param tls           TLS of its connections; null in clear text
 * @param cpu           CPU time of server, client and others
 * @param series        second by second
 * @param histogram     of latency, HdrHistogram's compressed form in base64, values in nanoseconds
 * @param verdict       the bound of the figures, {@code errors}, or {@code invalid:} and the reason
 * @param notes         remarks for the reader
 * @param windowStartMillis when the window began, in milliseconds since 1970 by this machine's clock; null in old runs
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record CellResult(
        String label,
        Map<String, String> parameters,
        int repetition,
        String model,
        boolean countsBytes,
        double windowSeconds,
        Counts counts,
        Map<String, FailureCount> errors,
        Times times,
        List<SizeResult> sizes,
        @Nullable TlsResult tls,
        CpuUse cpu,
        Series series,
        String histogram,
        String verdict,
        List<String> notes,
        @Nullable Long windowStartMillis) {

    private static final double MICROS = 1e6;
    private static final double MILLIS = 1e3;
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final double BYTES_PER_GIGABYTE = 1e9;

    /** Refuses a part that is missing: a damaged file is reported by the name of that part. */
    public CellResult {
        Objects.requireNonNull(label, "no label");
        Objects.requireNonNull(parameters, "no parameters");
        Objects.requireNonNull(model, "no model");
        Objects.requireNonNull(counts, "no counts");
        Objects.requireNonNull(errors, "no errors");
        Objects.requireNonNull(times, "no times");
        Objects.requireNonNull(sizes, "no sizes");
        Objects.requireNonNull(cpu, "no cpu");
        Objects.requireNonNull(series, "no series");
        Objects.requireNonNull(histogram, "no histogram");
        Objects.requireNonNull(verdict, "no verdict");
        Objects.requireNonNull(notes, "no notes");
    }

    /** The figures of a cell in clear text, whose moment does not matter. */
    public CellResult(
            String label,
            Map<String, String> parameters,
            int repetition,
            String model,
            boolean countsBytes,
            double windowSeconds,
            Counts counts,
            Map<String, FailureCount> errors,
            Times times,
            List<SizeResult> sizes,
            CpuUse cpu,
            Series series,
            String histogram,
            String verdict,
            List<String> notes) {
        this(
                label,
                parameters,
                repetition,
                model,
                countsBytes,
                windowSeconds,
                counts,
                errors,
                times,
                sizes,
                null,
                cpu,
                series,
                histogram,
                verdict,
                notes,
                null);
    }

    /** The same figures under other parameters. */
    public CellResult withParameters(Map<String, String> others) {
        return new CellResult(
                label,
                others,
                repetition,
                model,
                countsBytes,
                windowSeconds,
                counts,
                errors,
                times,
                sizes,
                tls,
                cpu,
                series,
                histogram,
                verdict,
                notes,
                windowStartMillis);
    }

    /** The latencies in nanoseconds. */
    public Histogram latencies() {
        return HistogramCodec.decode(histogram);
    }

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
    public @Nullable Double serverMicrosPerRequest() {
        return per(cpu.server(), MICROS, (double) counts.requests());
    }

    /** The server's CPU time in milliseconds per 10^9 body bytes; null when it is not known. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public @Nullable Double serverMillisPerGigabyte() {
        return per(cpu.server(), MILLIS, counts.bytes() / BYTES_PER_GIGABYTE);
    }

    /**
     * The client's own CPU time per verified answer in microseconds; null when it is not known. So it is beside other
     * servers: the process of the clients is that of the others' clients too.
     */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public @Nullable Double clientMicrosPerRequest() {
        return cpu.partners() != null ? null : per(cpu.client(), MICROS, (double) counts.requests());
    }

    /** CPU time of 0 counts as unknown: the kernel counts in ticks of 10 ms, and 0 means less than one. */
    private static @Nullable Double per(@Nullable Double cpuSeconds, double unit, double count) {
        return cpuSeconds == null || cpuSeconds <= 0 || count == 0 ? null : cpuSeconds * unit / count;
    }

    /** Number of failures of all kinds. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public long errorCount() {
        return errors.values().stream().mapToLong(FailureCount::count).sum();
    }

    /** Whether the figures can be trusted. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public boolean valid() {
        return !verdict.startsWith(Verdict.INVALID);
    }

    /** Whether the cell was ended early, so that its figures are those of a part of the window. */
    public boolean stoppedEarly() {
        return verdict.equals(Verdict.INVALID + ": " + Verdict.STOPPED);
    }

    /** The main figure of throughput: MB/s for downloads, requests/s for other work. */
    public double throughput() {
        return countsBytes ? megabytesPerSecond() : requestsPerSecond();
    }

    /** The main figure of cost: ms per GB for downloads, microseconds per request for other work; null if unknown. */
    public @Nullable Double cost() {
        return countsBytes ? serverMillisPerGigabyte() : serverMicrosPerRequest();
    }
}
