package dev.millrace.load.run;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Fault;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts failures by kind and keeps the first of each kind. Safe for use by any thread; failures are rare. */
final class FaultLog {

    private final Map<Fault, FaultCount> counts = new EnumMap<>(Fault.class);
    private long total;

    synchronized void add(Failure failure) {
        total++;
        counts.merge(failure.fault(), new FaultCount(1, failure.detail()),
                (old, ignored) -> new FaultCount(old.count() + 1, old.first()));
    }

    synchronized long total() {
        return total;
    }

    synchronized Map<String, FaultCount> byKind() {
        Map<String, FaultCount> result = new LinkedHashMap<>();
        counts.forEach((fault, count) -> result.put(fault.label(), count));
        return result;
    }
}
