package dev.millrace.load.run;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts failures by kind and keeps the first of each kind. Safe for use by any thread. */
final class FailureLog {

    private final Map<FailureKind, FailureCount> counts = new EnumMap<>(FailureKind.class);
    private long total;

    synchronized void add(Failure failure) {
        total++;
        counts.merge(
                failure.kind(),
                new FailureCount(1, failure.detail()),
                (old, ignored) -> new FailureCount(old.count() + 1, old.first()));
    }

    synchronized long total() {
        return total;
    }

    synchronized Map<String, FailureCount> byKind() {
        Map<String, FailureCount> result = new LinkedHashMap<>();
        counts.forEach((kind, count) -> result.put(kind.label(), count));
        return result;
    }
}
