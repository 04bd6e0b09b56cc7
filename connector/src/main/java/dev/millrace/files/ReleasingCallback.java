package dev.millrace.files;

import dev.millrace.jetty.JettyInternals;
import dev.millrace.transfer.TransferEndPoint;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * A write to a response from memory that others use afterwards. Completes once, and gives the memory back once, when
 * nothing can send from it any more. A write that a layer has given up while it is pending is ended before. Jetty's
 * MinimumDataRateHandler gives up so, and completes the callback again when the write ends. Thread-safe.
 */
final class ReleasingCallback extends Callback.Nested {
    private static final AtomicReferenceFieldUpdater<ReleasingCallback, Object> STATE =
            AtomicReferenceFieldUpdater.newUpdater(ReleasingCallback.class, Object.class, "state");

    private final Runnable release;
    private final @Nullable Response response;
    /** The thread that is inside {@link #write}; null before and after; in the end this. */
    @SuppressWarnings("UnusedVariable") // Read by STATE.
    private volatile @Nullable Object state;

    /**
     * @param release gives the memory back
     * @param response what is written to, by whatever way; null where nothing is left to be ended when the callback fails
     */
    ReleasingCallback(Runnable release, @Nullable Response response, Callback callback) {
        super(callback);
        this.release = release;
        this.response = response;
    }

    /** Writes; what this throws has failed the callback. */
    void write(Content.Sink sink, boolean last, ByteBuffer bytes) {
        Thread writer = Thread.currentThread();
        state = writer;
        try {
            sink.write(last, bytes, this);
        } catch (Throwable x) {
            failed(x);
        }
        STATE.compareAndSet(this, writer, null);
    }

    @Override
    public void succeeded() {
        if (STATE.getAndSet(this, this) != this) {
            try {
                release.run();
            } finally {
                super.succeeded();
            }
        }
    }

    @Override
    public void failed(Throwable x) {
        Object before = STATE.getAndSet(this, this);
        if (before != this) {
            try {
                // A write that a layer refuses while this thread calls it is never sent. One that fails later, or by
                // another thread, may yet be.
                cancel(response, before != Thread.currentThread(), x);
            } finally {
                giveBack(x);
            }
        }
    }

    private void giveBack(Throwable x) {
        try {
            release.run();
        } finally {
            super.failed(x);
        }
    }

    /**
     * Ends a write that may be pending. When this returns, nothing sends from its memory, nor will.
     *
     * @param response null: nothing is to be ended
     * @param isUnderWay whether it may yet come to the end point, behind an interim response for example. If not, and the response
     *     is not committed, it never does
     */
    static void cancel(@Nullable Response response, boolean isUnderWay, Throwable cause) {
        if (response == null || (!isUnderWay && !response.isCommitted())) {
            return;
        }
        ConnectionMetaData connection = response.getRequest().getConnectionMetaData();
        // HTTP/2 writes for others too; it is lent no memory where a layer gives up: see SendPath.
        if (connection.getHttpVersion().getVersion() <= HttpVersion.HTTP_1_1.getVersion()) {
            EndPoint endPoint = connection.getConnection().getEndPoint();
            cancelBelowTls(endPoint, cause);
            cancel(JettyInternals.streamOf(response.getRequest()), cause);
            cancel(endPoint, cause);
        }
    }

    // Jetty's TLS spins until the thread that writes has come out. On a blocking channel that one waits for the peer.
    // It comes out when the end point below is cancelled. Our TLS does so itself.
    private static void cancelBelowTls(EndPoint endPoint, Throwable cause) {
        if (endPoint instanceof EndPoint.Wrapper wrapper && !(endPoint instanceof TransferEndPoint)) {
            if (!(endPoint instanceof SslConnection.SslEndPoint)) {
                cancelBelowTls(wrapper.unwrap(), cause);
            } else if (isBlocking(wrapper.unwrap())) {
                cancel(wrapper.unwrap(), cause);
            }
        }
    }

    private static boolean isBlocking(EndPoint encrypted) {
        return encrypted instanceof EndPoint.Wrapper wrapper
                ? isBlocking(wrapper.unwrap())
                : encrypted instanceof SocketChannelEndPoint socket
                        && socket.getChannel().isBlocking();
    }

    // Jetty ends the write itself when the callback has failed, and waits for it. It waits for ever, with all timers of
    // the server behind it, when it finds a write that fails in just that moment. So it is to end the write first.
    private static void cancel(@Nullable HttpStream stream, Throwable cause) {
        if (stream == null) {
            return;
        }
        // An interrupted thread does not wait there, not even for what is over: it throws, and loses the interrupt.
        boolean interrupted = Thread.interrupted();
        try {
            stream.cancelSend(cause, Callback.NOOP).run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void cancel(EndPoint endPoint, Throwable cause) {
        Callback pending = endPoint.cancelWrite(cause);
        if (pending != null) {
            pending.failed(cause);
        }
    }
}
