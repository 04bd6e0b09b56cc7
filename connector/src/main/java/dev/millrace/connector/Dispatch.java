package dev.millrace.connector;

import java.io.Closeable;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.thread.Invocable;

/** Where a ready connection of a {@link NioConnector} is served. Jetty's strategy goes by a task's invocation type. */
enum Dispatch {
    /** As Jetty decides: by the invocation type of the callback that waits. */
    ADAPTIVE,
    /**
     * By the selector's own thread: see {@link SelectorDuty}. In the instant in which somebody else is about to select, Jetty's
     * strategy gives a blocking task away, but would run one of either kind where it was found, and nobody selects.
     */
    SELECTOR,
    /** By another thread: Jetty's strategy never runs a blocking task while it produces, or gives production away. */
    HANDOFF;

    /** The same task, with the invocation type that brings it where this dispatch wants it. */
    Runnable place(Runnable task) {
        return switch (this) {
            case ADAPTIVE -> task;
            case SELECTOR, HANDOFF -> new Placed(task, Invocable.InvocationType.BLOCKING);
        };
    }

    // Closeable, because a pool that rejects a task closes it, and with it the connection.
    private record Placed(Runnable task, InvocationType type) implements Invocable.Task, Closeable {
        @Override
        public void run() {
            task.run();
            // An interrupt meant for the application would end the next wait of the selector, or the next handler's.
            Thread.interrupted();
        }

        @Override
        public InvocationType getInvocationType() {
            return type;
        }

        @Override
        public void close() {
            if (task instanceof Closeable closeable) {
                IO.close(closeable);
            }
        }
    }
}
