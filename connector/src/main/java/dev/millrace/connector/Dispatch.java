package dev.millrace.connector;

import java.io.Closeable;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.thread.Invocable;

/** Where a ready connection of a {@link NioConnector} is served. Jetty's strategy goes by a task's invocation type. */
enum Dispatch {
    /** As Jetty decides, by the invocation type of the callback that waits. A request that does not block runs as with {@link #SELECTOR}. */
    ADAPTIVE,
    /**
     * By the selector's own thread: see {@link SelectorExecutor}. The task calls itself blocking. In the instant in
     * which another thread is about to select, Jetty's strategy gives a blocking task away. It would run any other
     * where it was found, and no thread would select.
     */
    SELECTOR,
    /**
     * By another thread, because Jetty's strategy never runs a blocking task on the thread that goes on selecting. This is for the
     * begin of requests. A request that waits for content, or to write, is told as Jetty decides: all threads of the pool may be
     * waiting like this.
     */
    HANDOFF;

    /**
     * The same task, with the invocation type that brings it where this dispatch wants it.
     *
     * @param goesOn says, when the selector has found the task, whether it only goes on with an exchange that has begun
     */
    Runnable place(Runnable task, BooleanSupplier goesOn) {
        return switch (this) {
            case ADAPTIVE -> task;
            case SELECTOR -> new Placed(task, () -> false);
            case HANDOFF -> new Placed(task, goesOn);
        };
    }

    // A pool that rejects a task closes it, and with it the connection.
    private record Placed(Runnable task, BooleanSupplier goesOn) implements Invocable.Task, Closeable {
        @Override
        public void run() {
            task.run();
            // An interrupt meant for the application would end the next wait of the selector, or the next handler's.
            Thread.interrupted();
        }

        @Override
        public InvocationType getInvocationType() {
            return goesOn.getAsBoolean() ? Invocable.getInvocationType(task) : InvocationType.BLOCKING;
        }

        @Override
        public void close() {
            if (task instanceof Closeable closeable) {
                IO.close(closeable);
            }
        }
    }
}
