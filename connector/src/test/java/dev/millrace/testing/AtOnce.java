package dev.millrace.testing;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Runs a case on several connectors at once, for one that is nearly all waiting. */
public final class AtOnce {
    private AtOnce() {}

    /** What is to be shown of one connector. */
    public interface Case {
        void run(Connectors connectors) throws Exception;
    }

    /** Returns when the last one has ended; fails when any has, with the name of the connector. */
    public static void on(Stream<Connectors> connectors, Case shown) throws InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Map<Connectors, Future<?>> cases = new EnumMap<>(Connectors.class);
            connectors.forEach(one -> cases.put(one, threads.submit(() -> {
                shown.run(one);
                return null;
            })));
            AssertionError failure = null;
            for (Map.Entry<Connectors, Future<?>> one : cases.entrySet()) {
                try {
                    one.getValue().get();
                } catch (ExecutionException x) {
                    AssertionError failed = new AssertionError(one.getKey() + ": " + x.getCause(), x.getCause());
                    if (failure == null) {
                        failure = failed;
                    } else {
                        failure.addSuppressed(failed);
                    }
                }
            }
            if (failure != null) {
                throw failure;
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
