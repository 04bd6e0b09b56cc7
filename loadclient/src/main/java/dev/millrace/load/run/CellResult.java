package dev.millrace.load.run;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;

/**
 * What one cell measured. Rates count verified answers inside the window only; errors are those of the whole cell.
 *
 * @param label          name of the server variant, may be empty
 * @param parameters     what tells this cell from others
 * @param repetition     counted from 0
 * @param windowSeconds  length of the window
 * @param requests       verified answers
 * @param bytes          body bytes of verified answers that came inside the window
 * @param connections    connections opened in the whole cell
 * @param cutOff         exchanges still going on when the drain was over; no error
 * @param errors         failures by kind
 * @param latency        request (before connecting, if a new connection is needed) to last byte, in microseconds
 * @param headerByte     request to first byte of the head
 * @param firstByte      request to first byte of the body
 * @param connect        connecting alone; of new connections only
 * @param cpu            who used the cores
 * @param requestSeries  verified answers in each second of the window
 * @param byteSeries     body bytes in each second of the window
 * @param histogram      of latency, HdrHistogram's compressed form in base64, values in nanoseconds
 * @param countsBytes    whether bytes matter more than requests
 * @param verdict        {@code ok}, or why the figures are not valid
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record CellResult(String label, Map<String, String> parameters, int repetition, double windowSeconds,
                         long requests, long bytes, long connections, long cutOff,
                         Map<String, FaultCount> errors, Percentiles latency, Percentiles headerByte, Percentiles firstByte, Percentiles connect,
                         CpuUse cpu, List<Long> requestSeries, List<Long> byteSeries, String histogram,
                         boolean countsBytes, String verdict) {

    private static final double MICROS = 1e6;
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final double BYTES_PER_GIGABYTE = 1e9;

    /** Verified answers per second. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double requestsPerSecond() {
        return requests / windowSeconds;
    }

    /** Body bytes per second, in units of 10^6. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double megabytesPerSecond() {
        return bytes / BYTES_PER_MEGABYTE / windowSeconds;
    }

    /** The server's CPU time per verified answer in microseconds; null when it is not known. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public Double serverMicrosPerRequest() {
        return cpu.server() == null || requests == 0 ? null : cpu.server() * MICROS / requests;
    }

    /** The server's CPU time in milliseconds per 10^9 body bytes; null when it is not known. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public Double serverMillisPerGigabyte() {
        return cpu.server() == null || bytes == 0 ? null : cpu.server() * 1000 / (bytes / BYTES_PER_GIGABYTE);
    }

    /** The client's own CPU time per verified answer in microseconds; null when it is not known. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public Double clientMicrosPerRequest() {
        return cpu.client() == null || requests == 0 ? null : cpu.client() * MICROS / requests;
    }

    /** Failures of all kinds. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public long errorCount() {
        return errors.values().stream().mapToLong(FaultCount::count).sum();
    }

    /** Whether the figures stand for what they say. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public boolean valid() {
        return !verdict.startsWith("invalid");
    }
}
