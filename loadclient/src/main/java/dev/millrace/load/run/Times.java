package dev.millrace.load.run;

/**
 * The distributions of a cell, in microseconds.
 *
 * @param latency    request to last byte; in the closed model from sending (before connecting, if a new connection is
 *                   needed), in the open model from the moment at which the request was due
 * @param raw        in the open model also from sending; null in the closed one
 * @param headerByte sending (before connecting, if a new connection is needed) to first byte of the head
 * @param firstByte  the same to first byte of the body
 * @param connect    connecting alone; of new connections only
 * @param lateness   in the open model, sending after the moment at which it was due; of throttled downloads, the last
 *                   byte after the moment at which the throttle would have let it through; else null
 */
public record Times(Percentiles latency, Percentiles raw, Percentiles headerByte, Percentiles firstByte,
                    Percentiles connect, Percentiles lateness) {
}
