package dev.millrace.load.run;

import dev.millrace.load.scenario.Workload;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One point of a sweep.
 *
 * @param label     name of the server variant, may be empty
 * @param clients   threads, each with one connection
 * @param rate      requests per second of all clients together (open model); 0 for as fast as answers come (closed)
 * @param limitRate bytes per second of each client's downloads; 0 for as fast as they come
 * @param workload  what the clients do
 */
public record Cell(String label, int clients, double rate, long limitRate, Workload workload) {

    /** The settings that tell this cell from others of the same variant, clients first. */
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("clients", Integer.toString(clients));
        parameters.putAll(workload.parameters());
        if (isOpen()) {
            parameters.put("rate", rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate));
        }
        if (limitRate > 0) {
            parameters.put("limit", Long.toString(limitRate));
        }
        return parameters;
    }

    /** Whether requests are sent by the clock instead of by the answer before. */
    public boolean isOpen() {
        return rate > 0;
    }
}
