package dev.millrace.load.run;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The distributions of a cell's times, in microseconds. In the closed model an exchange begins when it is sent, before
 * connecting if a new connection is needed. Immutable.
 *
 * <p>The closed model has the times of all answers that came in the window. It has also those of answers that came later, to
 * requests sent in it. Without the latter the longest would be missing. A client that waits sends nothing, and what it waits for
 * at the end is the longest of all. Tene, "How NOT to measure latency", calls this coordinated omission. Both ends of
 * the window show exchanges that reach over them, so that long ones count too often by their length's share of the
 * window. A window should be far longer than the longest answer, or the model be open.
 *
 * @param latency    beginning to last byte; in the open model, due moment to last byte
 * @param raw        in the open model, beginning to last byte; null in the closed model
 * @param headerByte beginning to first byte of the head
 * @param firstByte  beginning to first byte of the body
 * @param connect    connecting, for new connections
 * @param lateness   in the open model, due moment to beginning. For throttled downloads of the closed model, due moment
 *                   of the last byte to its arrival; else null
 */
public record Times(
        Percentiles latency,
        @Nullable Percentiles raw,
        Percentiles headerByte,
        Percentiles firstByte,
        Percentiles connect,
        @Nullable Percentiles lateness) {

    /** Refuses a part that is missing: a damaged file is reported by the name of that part. */
    public Times {
        Objects.requireNonNull(latency, "no latency");
        Objects.requireNonNull(headerByte, "no headerByte");
        Objects.requireNonNull(firstByte, "no firstByte");
        Objects.requireNonNull(connect, "no connect");
    }
}
