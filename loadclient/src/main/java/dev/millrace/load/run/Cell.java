package dev.millrace.load.run;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.Protocol;
import dev.millrace.load.scenario.Workload;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One point of a sweep. Immutable.
 *
 * @param label     name of the server variant, may be empty
 * @param clients   threads, each with one connection
 * @param rate      requests per second of all clients together (open model); 0 for the closed model
 * @param limitRate bytes per second of each client's downloads; 0 for no limit
 * @param protocol  spoken on the connections
 * @param streams   requests that each client has under way at once; above 1 in HTTP/2 only
 * @param workload  what the clients do
 */
public record Cell(
        String label, int clients, double rate, long limitRate, Protocol protocol, int streams, Workload workload) {

    /** A cell of HTTP/1.1. */
    public Cell(String label, int clients, double rate, long limitRate, Workload workload) {
        this(label, clients, rate, limitRate, Protocol.HTTP1, 1, workload);
    }

    /** The settings in which cells of one variant differ, clients first. */
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("clients", Integer.toString(clients));
        if (protocol != Protocol.HTTP1) {
            parameters.put("protocol", protocol.label());
            parameters.put("streams", Integer.toString(streams));
        }
        parameters.putAll(workload.parameters());
        if (isOpen()) {
            parameters.put("rate", rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate));
        }
        if (limitRate > 0) {
            parameters.put("limit", Long.toString(limitRate));
        }
        return parameters;
    }

    /** The failure of an exchange that is late: a download by its next bytes, any other by its whole answer. */
    Failure late(long timeoutNanos, long bodyBytes) {
        String time = TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms";
        return new Failure(
                FailureKind.TIMEOUT,
                workload.countsBytes()
                        ? "nothing came for " + time + " after " + bodyBytes + " body bytes"
                        : "no whole answer within " + time + ", " + bodyBytes + " body bytes came");
    }

    /** The failure of an exchange after whose answer the server has kept the connection, which was to be closed. */
    Failure notClosed(long timeoutNanos) {
        return new Failure(
                FailureKind.TIMEOUT,
                "the answer came, but the server has not closed the connection within "
                        + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms, as Connection: close asks");
    }

    /** Whether a clock says when a request is sent (open model); otherwise the answer before does (closed model). */
    public boolean isOpen() {
        return rate > 0;
    }
}
