package dev.millrace.connector;

import java.util.concurrent.Executor;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;

/**
 * Where Jetty's TLS has run what it leaves to another thread: by the connector's executor, as long as no write to the socket has
 * failed. After that the one who waits for the write is to be told, and all threads of the pool may be waiting like that.
 *
 * <p>On a blocking connection the thread that has answered a request goes on with the next one, if TLS has read that already.
 *
 * <p>Thread-safe.
 */
record TlsExecutor(LimitedConnector connector, AbstractEndPoint encrypted) implements Executor {
    /** @return the connector's own executor when it is one of Jetty's */
    static Executor of(Connector connector, EndPoint endPoint) {
        return connector instanceof LimitedConnector limited
                        && MillraceEndPoint.socket(endPoint) instanceof AbstractEndPoint encrypted
                ? new TlsExecutor(limited, encrypted)
                : connector.getExecutor();
    }

    @Override
    public void execute(Runnable task) {
        if (encrypted.getWriteFlusher().isFailed()) {
            connector.runClosing(task);
        } else if (encrypted instanceof BioEndPoint blocking && blocking.isReturning()) {
            blocking.runNext(task);
        } else {
            connector.getExecutor().execute(task);
        }
    }
}
