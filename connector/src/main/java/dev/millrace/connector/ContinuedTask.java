package dev.millrace.connector;

import java.io.Closeable;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * Goes on with an exchange that has begun. A pool that rejects the task closes it, and with it the connection.
 *
 * @param type where Jetty's strategy is to run it: see {@link Dispatch}
 */
record ContinuedTask(EndPoint endPoint, Runnable task, Invocable.InvocationType type)
        implements Invocable.Task, Closeable {
    /** What a selector has found, as Jetty says it. No interrupt of the application's stays with the thread that selects. */
    static @Nullable ContinuedTask of(EndPoint endPoint, @Nullable Runnable selected) {
        return selected == null ? null : new ContinuedTask(endPoint, selected, Invocable.getInvocationType(selected));
    }

    @Override
    public void run() {
        try {
            task.run();
        } finally {
            // The interrupt was meant for what has returned: see the end of RequestLoop.run().
            Thread.interrupted();
        }
    }

    @Override
    public InvocationType getInvocationType() {
        return type;
    }

    @Override
    public void close() {
        endPoint.close();
    }
}
