package dev.millrace.connector;

import java.io.Closeable;
import org.eclipse.jetty.util.thread.Invocable;

/**
 * Tells a connection that there is something to read. Closeable, because a pool that rejects a task closes it, and with it the
 * connection.
 */
final class FillTask implements Invocable.Task, Closeable {
    private final NioEndPoint endPoint;

    FillTask(NioEndPoint endPoint) {
        this.endPoint = endPoint;
    }

    @Override
    public void run() {
        endPoint.getFillInterest().fillable();
        // As after a RequestTurn.
        Thread.interrupted();
    }

    @Override
    public InvocationType getInvocationType() {
        return endPoint.getFillInterest().getCallbackInvocationType();
    }

    @Override
    public void close() {
        endPoint.close();
    }
}
