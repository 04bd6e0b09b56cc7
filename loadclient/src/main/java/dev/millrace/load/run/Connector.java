package dev.millrace.load.run;

import dev.millrace.load.http.Connection;
import dev.millrace.load.http.Connections;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.TlsClient;
import dev.millrace.load.run.CellClock.Phase;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Opens one client's connections, one after the other, and records them. Confined to the client's thread. */
final class Connector {

    private final InetSocketAddress address;
    private final SocketSettings sockets;
    private final CellClock clock;
    private final Recording recording;
    private final Deadline deadline;
    private final long timeoutNanos;
    private @Nullable Failure failure;

    Connector(
            InetSocketAddress address,
            SocketSettings sockets,
            CellClock clock,
            Recording recording,
            Deadline deadline,
            long timeoutNanos) {
        this.address = address;
        this.sockets = sockets;
        this.clock = clock;
        this.recording = recording;
        this.deadline = deadline;
        this.timeoutNanos = timeoutNanos;
    }

    /** Connects. Returns null if that failed, see {@link #failure}, or was ended by the watchdog, which is counted. */
    @Nullable Connection open(byte[] chunk) {
        failure = null;
        long before = System.nanoTime();
        Connection connection = null;
        Failure reason = null;
        try {
            connection = Connections.open(address, sockets, chunk, this::guard);
        } catch (IOException e) {
            reason = Failure.ofConnect(e);
        }
        if (!deadline.clear()) {
            if (connection != null) {
                connection.close();
            }
            if (System.nanoTime() - before >= timeoutNanos) {
                failure = new Failure(
                        FailureKind.CONNECT,
                        "not connected after " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms");
            } else {
                clock.cutOff.increment();
            }
            return null;
        }
        if (connection == null) {
            failure = reason;
            return null;
        }
        clock.connections.increment();
        record(connection.handshake(), System.nanoTime() - before);
        return connection;
    }

    private void record(TlsClient.@Nullable Handshake handshake, long nanos) {
        boolean inWindow = clock.phase() == Phase.WINDOW;
        if (handshake != null) {
            recording.handshake(handshake, inWindow);
        }
        if (inWindow) {
            recording.connected(handshake == null ? nanos : nanos - handshake.nanos());
        }
    }

    /** Lets the watchdog, the end of the drain, and Ctrl-C end a connect with its handshake and HTTP/2's settings. */
    private void guard(Closeable socket) {
        deadline.guard(socket);
        deadline.set(System.nanoTime() + timeoutNanos);
    }

    /** Why the last connect failed; null if it did not fail. */
    @Nullable Failure failure() {
        return failure;
    }
}
