package dev.millrace.load;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What threads do of which no event tells. */
public final class TestThreads {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private TestThreads() {}

    /** Waits until a thread is in a method, both named by their beginnings. */
    public static void awaitWithin(String thread, String method) {
        while (Thread.getAllStackTraces().entrySet().stream()
                .noneMatch(one -> one.getKey().getName().startsWith(thread)
                        && Arrays.stream(one.getValue())
                                .anyMatch(frame -> frame.getMethodName().startsWith(method)))) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
