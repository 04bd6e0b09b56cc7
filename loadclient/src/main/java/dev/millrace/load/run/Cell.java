package dev.millrace.load.run;

import dev.millrace.load.scenario.Workload;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One point of a sweep.
 *
 * @param clients  threads, each with one connection
 * @param workload what they do
 */
public record Cell(int clients, Workload workload) {

    /** The settings that tell this cell from the others, clients first. */
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("clients", Integer.toString(clients));
        parameters.putAll(workload.parameters());
        return parameters;
    }
}
