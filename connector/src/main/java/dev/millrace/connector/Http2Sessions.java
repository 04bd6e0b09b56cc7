package dev.millrace.connector;

import java.util.Collection;
import java.util.concurrent.Executor;
import org.eclipse.jetty.http2.FlowControlStrategy;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * What our connectors change of Jetty's HTTP/2: which thread runs a request ({@link StreamExecutor}), and how much is written at once.
 * Loaded only where there is HTTP/2.
 */
final class Http2Sessions {
    /** As much as a connection of TLS encrypts for one write. */
    static final int WRITE_BYTES = TlsMemory.BATCH_BYTES;

    private static final Object EXPECTED = new Object();
    /** {@link #EXPECTED}, then what the connection has. */
    private static final ThreadLocal<Object> NEXT = new ThreadLocal<>();

    private Http2Sessions() {}

    /**
     * Has factories announce the connections that they are about to make, and their sessions write much at once. For good, because other
     * connectors may have the same factories.
     */
    static void prepare(Collection<ConnectionFactory> factories) {
        for (ConnectionFactory factory : factories) {
            if (factory instanceof AbstractHTTP2ServerConnectionFactory http2
                    && !(http2.getFlowControlStrategyFactory() instanceof Announcing)) {
                http2.setFlowControlStrategyFactory(new Announcing(http2.getFlowControlStrategyFactory()));
                http2.addEventListener(new Opening());
            }
        }
    }

    /**
     * Jetty's factory asks for the flow control first. Then, by the same thread, its connection asks the connector for an executor, and
     * is opened.
     */
    private record Announcing(FlowControlStrategy.Factory wrapped) implements FlowControlStrategy.Factory {
        @Override
        public FlowControlStrategy newFlowControlStrategy() {
            NEXT.set(EXPECTED);
            return wrapped.newFlowControlStrategy();
        }
    }

    private static final class Opening implements HTTP2Session.LifeCycleListener {
        @Override
        public void onOpen(Session opened) {
            Object made = NEXT.get();
            NEXT.remove();
            HTTP2Session session = (HTTP2Session) opened;
            MillraceEndPoint socket = MillraceEndPoint.below(session.getEndPoint());
            if (socket != null) {
                // Jetty's session writes when it has frames of 32 KiB, its size of a servlet's buffer.
                session.setWriteThreshold(Math.max(WRITE_BYTES, session.getWriteThreshold()));
                if (made instanceof StreamExecutor streams) {
                    socket.setStreams(streams);
                }
            }
        }
    }

    /**
     * @param executor the connector's
     * @param atOnce runs what must not wait for a thread of the pool
     * @return for the connection that this thread is about to make, one of its own; else the same
     */
    static Executor forNext(Executor executor, Executor atOnce, StreamWatch watch) {
        if (NEXT.get() != EXPECTED) {
            return executor;
        }
        NEXT.remove();
        // Other pools do not tell whether they are short of threads.
        if (!(executor instanceof QueuedThreadPool pool) || pool.getVirtualThreadsExecutor() != null) {
            return executor;
        }
        StreamExecutor streams = new StreamExecutor(pool, atOnce, watch);
        NEXT.set(streams);
        return streams;
    }
}
