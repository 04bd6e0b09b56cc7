package dev.millrace.xsendfile;

/**
 * How the transfer of a file that an application delegated ended.
 *
 * @param downloadId what the application said in the response field {@code X-Download-Id}, or a number of ours
 * @param file what the application named, as it named it: a path or a URI
 * @param status the response's status code
 * @param outcome how it ended
 * @param bytes how many bytes of content the network took
 * @param durationNanos how long that took, in nanoseconds
 */
public record TransferResult(
        String downloadId, String file, int status, Outcome outcome, long bytes, long durationNanos) {
    /** How a transfer ended. */
    public enum Outcome {
        /** The response is complete, be it a file, a part of it, or an error. */
        DONE,
        /** The client closed the connection, or that ended for a reason which is not among the others. */
        CLIENT_GONE,
        /** The client took nothing for as long as the connection may be idle, or took the file too slowly. */
        TIMED_OUT,
        /** The file failed: it became shorter, was written over, or could not be read. */
        FAILED
    }

    /** @return the average rate; 0 when no time has passed */
    public long bytesPerSecond() {
        return durationNanos == 0 ? 0 : (long) (bytes * 1e9 / durationNanos);
    }
}
