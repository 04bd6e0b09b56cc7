package dev.millrace.connector;

import java.io.Closeable;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.util.thread.Invocable;

/** Tells a connection that there is something to read. A pool that rejects the task closes it, and with it the connection. */
final class FillTask implements Invocable.Task, Closeable {
    private final AbstractEndPoint endPoint;

    FillTask(AbstractEndPoint endPoint) {
        this.endPoint = endPoint;
    }

    @Override
    public void run() {
        endPoint.getFillInterest().fillable();
        // See the end of RequestLoop.run().
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
