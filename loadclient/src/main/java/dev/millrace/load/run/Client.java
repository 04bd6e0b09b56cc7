package dev.millrace.load.run;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Fault;
import dev.millrace.load.http.HttpConnection;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.Timing;
import dev.millrace.load.run.CellClock.Phase;
import dev.millrace.load.scenario.Script;
import dev.millrace.load.scenario.Workload;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One client: one thread, one connection at a time, one exchange at a time. Confined to its thread. */
final class Client implements Runnable {

    /** After a failure, so that a server that refuses is not hammered: a refused connect costs 20 microseconds. */
    private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Workload workload;
    private final Script script;
    private final CellClock clock;
    private final SocketSettings sockets;
    private final long timeoutNanos;
    private final Deadline deadline = new Deadline();
    private final Recording recording = new Recording();
    private final Timing timing = new Timing();
    private final byte[] chunk;
    private HttpConnection connection;
    private long bytesInWindow;
    private long lastProgress;

    Client(Workload workload, long seed, CellClock clock, SocketSettings sockets, long timeoutNanos) {
        this.workload = workload;
        this.script = workload.script(seed);
        this.clock = clock;
        this.sockets = sockets;
        this.timeoutNanos = timeoutNanos;
        this.chunk = new byte[workload.readBufferBytes()];
    }

    Deadline deadline() {
        return deadline;
    }

    Recording recording() {
        return recording;
    }

    @Override
    public void run() {
        try {
            while (true) {
                Phase phase = clock.phase();
                if (phase == Phase.DRAIN) {
                    return;
                }
                boolean ticket = phase == Phase.WINDOW && clock.limited();
                if (ticket && !clock.takeTicket()) {
                    return;
                }
                exchange(ticket);
            }
        } finally {
            drop();
        }
    }

    private void exchange(boolean ticket) {
        long start = System.nanoTime();
        bytesInWindow = 0;
        if (connection == null && !connect(start)) {
            return;
        }
        lastProgress = System.nanoTime();
        deadline.set(lastProgress + timeoutNanos);
        Call call = script.next();
        Failure failure;
        try {
            failure = connection.exchange(call, timing, this::received);
            if (!workload.keepAlive()) {
                connection.awaitClose();
            }
            if (failure == null) {
                succeeded(start, ticket);
            }
        } catch (IOException e) {
            failure = new Failure(Fault.ofExchange(e), describe(e));
        }
        boolean inTime = deadline.clear();
        if (!inTime || !workload.keepAlive() || !connection.reusable()) {
            drop();
        }
        if (!inTime) {
            aborted();
        } else if (failure != null) {
            failed(failure);
        }
    }

    private void aborted() {
        if (System.nanoTime() - lastProgress < timeoutNanos) {
            clock.cutOff.increment();
            return;
        }
        failed(new Failure(Fault.TIMEOUT, "nothing came for " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                + " ms after " + timing.bodyBytes() + " body bytes"));
    }

    private boolean connect(long start) {
        try {
            connection = HttpConnection.open(workload.target().address(), sockets, chunk);
            deadline.guard(connection);
            clock.connections.increment();
            if (clock.phase() == Phase.WINDOW) {
                recording.connected(System.nanoTime() - start);
            }
            return true;
        } catch (IOException e) {
            failed(new Failure(Fault.ofConnect(e), describe(e)));
            return false;
        }
    }

    private void received(int count) {
        if (clock.phase() == Phase.WINDOW) {
            bytesInWindow += count;
            clock.bytes.add(count);
        }
        if (workload.countsBytes()) {
            lastProgress = System.nanoTime();
            deadline.extend(lastProgress + timeoutNanos);
        }
    }

    private void succeeded(long start, boolean ticket) {
        if (ticket || !clock.limited() && clock.phase() == Phase.WINDOW) {
            clock.requests.increment();
            recording.exchange(start, timing);
        }
    }

    private void failed(Failure failure) {
        clock.bytes.add(-bytesInWindow);
        clock.faults.add(failure);
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
    }

    private void drop() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    private static String describe(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
