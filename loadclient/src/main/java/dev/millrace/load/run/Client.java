package dev.millrace.load.run;

import dev.millrace.load.host.TimerSlack;
import dev.millrace.load.http.BodyMeter;
import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Fault;
import dev.millrace.load.http.HttpConnection;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.Timing;
import dev.millrace.load.run.CellClock.Phase;
import dev.millrace.load.scenario.Script;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** One client: one thread, one connection at a time, one exchange at a time. Confined to its thread. */
final class Client implements Runnable {

    /**
     * After a failure, doubled by each further one: a refused connect costs 20 microseconds, so that thousands of
     * clients would keep a machine busy with a server that is gone.
     */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int MOST_DOUBLINGS = 7;

    private final Cell cell;
    private final Script script;
    private final CellClock clock;
    private final SocketSettings sockets;
    private final long timeoutNanos;
    private final Recording recording;
    private final Pacing pacing;
    private final Throttle throttle;
    private final Deadline deadline = new Deadline();
    private final boolean keepAlive;
    private final boolean download;
    /** Whether what counts is when a request was due. */
    private final boolean byClock;
    private final byte[] chunk;
    private final BodyMeter meter = this::received;
    private Timing timing = new Timing();
    /** Of the part that a download was broken off in. */
    private Timing firstPart = new Timing();
    private HttpConnection connection;
    /** Sent, or in a closed model due; of a download in parts the first one. */
    private long start;
    private boolean startedInWindow;
    /** Whether a download was broken off, and its other part is still to come. */
    private boolean goesOn;
    private long bytesInWindow;
    private int failuresInARow;
    private long lastProgress;

    /**
     * A client of a cell.
     *
     * @param number   its place among the clients, counted from 0
     * @param settings of the run
     */
    Client(Cell cell, int number, RunSettings settings, CellClock clock, SocketSettings sockets, Recording recording) {
        this.cell = cell;
        this.script = cell.workload().script(settings.seed() + number);
        this.clock = clock;
        this.sockets = sockets;
        this.timeoutNanos = settings.timeout().toNanos();
        this.recording = recording;
        this.pacing = new Pacing(cell, number, settings.ramp(), clock);
        this.throttle = cell.limitRate() > 0 ? new Throttle(cell.limitRate()) : null;
        this.keepAlive = cell.workload().keepAlive();
        this.download = cell.workload().countsBytes();
        this.byClock = cell.isOpen() && !clock.limited();
        this.chunk = new byte[chunkBytes(settings.quantumBytes())];
    }

    private int chunkBytes(int quantumBytes) {
        if (throttle == null) {
            return cell.workload().readBufferBytes();
        }
        return quantumBytes > 0 ? quantumBytes : Throttle.quantum(cell.limitRate());
    }

    Deadline deadline() {
        return deadline;
    }

    @Override
    public void run() {
        if (cell.isOpen() || throttle != null) {
            TimerSlack.tighten();
        }
        pacing.awaitStart();
        try {
            while (true) {
                long due = pacing.awaitNext();
                Phase phase = clock.phase();
                if (phase == Phase.DRAIN && !isStillOwed(due)) {
                    return;
                }
                boolean ticket = phase == Phase.WINDOW && clock.limited();
                if (ticket && !clock.takeTicket()) {
                    return;
                }
                if (cell.isOpen() && phase == Phase.WINDOW && clock.inWindow(due)) {
                    clock.sent.increment();
                }
                do {
                    attempt(due, ticket);
                } while (goesOn);
            }
        } finally {
            drop();
        }
    }

    /**
     * Whether a request must be sent though the window has ended: without them those that had to wait would be missing
     * from the latencies.
     */
    private boolean isStillOwed(long due) {
        if (!byClock || !clock.inWindow(due)) {
            return false;
        }
        // A server that is gone is not asked for all that a long window left behind: nothing would slow that down.
        if (clock.isOver() || failuresInARow > MOST_DOUBLINGS) {
            clock.unsent.add(pacing.owedFrom(due));
            return false;
        }
        return true;
    }

    /** A fault of this program's counts like others: a client that ended by it would be a smaller load, and no word. */
    private void attempt(long due, boolean ticket) {
        try {
            exchange(due, ticket);
        } catch (RuntimeException e) {
            deadline.clear();
            goesOn = false;
            drop();
            failed(new Failure(Fault.OTHER, e.toString()));
        }
    }

    private void exchange(long due, boolean ticket) {
        boolean rest = goesOn;
        goesOn = false;
        if (!rest) {
            start = cell.isOpen() ? System.nanoTime() : due;
            bytesInWindow = 0;
            startedInWindow = byClock ? clock.inWindow(due) : clock.phase() == Phase.WINDOW;
        }
        if (connection != null || connect()) {
            exchange(due, ticket, rest);
        } else if (rest) {
            // Asked for later, it would pass for a download of its own.
            script.next();
        }
    }

    private void exchange(long due, boolean ticket, boolean rest) {
        if (throttle != null) {
            throttle.start();
        }
        lastProgress = System.nanoTime();
        deadline.set(lastProgress + timeoutNanos);
        Failure failure;
        boolean complete = false;
        Call call = script.next();
        try {
            failure = connection.exchange(call, timing, meter);
            if (!keepAlive) {
                connection.awaitClose();
            }
            goesOn = connection.brokenOff();
            complete = true;
            if (rest) {
                timing.goOnWith(firstPart);
            }
        } catch (IOException e) {
            failure = new Failure(Fault.ofExchange(e), describe(e));
        }
        boolean inTime = deadline.clear();
        if (!inTime || !keepAlive || !connection.reusable()) {
            drop();
        }
        if (!inTime && !complete) {
            goesOn = false;
            aborted();
        } else if (failure != null) {
            failed(failure);
        } else if (goesOn) {
            Timing other = firstPart;
            firstPart = timing;
            timing = other;
        } else {
            succeeded(due, ticket, call.answers());
        }
    }

    private void aborted() {
        if (System.nanoTime() - lastProgress >= timeoutNanos) {
            failed(new Failure(Fault.TIMEOUT, "nothing came for " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                    + " ms after " + timing.bodyBytes() + " body bytes"));
        } else if (download && clock.drained() && lastProgress - clock.windowEnd() < 0) {
            clock.stalled.increment();
        } else {
            clock.cutOff.increment();
        }
    }

    private boolean connect() {
        long before = System.nanoTime();
        IOException failure = null;
        try {
            connection = HttpConnection.open(cell.workload().target().address(), sockets, chunk, this::connecting);
        } catch (IOException e) {
            failure = e;
        }
        if (!deadline.clear()) {
            drop();
            clock.cutOff.increment();
            return false;
        }
        if (failure != null) {
            failed(new Failure(Fault.ofConnect(failure), describe(failure)));
            return false;
        }
        clock.connections.increment();
        if (clock.phase() == Phase.WINDOW) {
            recording.connected(System.nanoTime() - before);
        }
        return true;
    }

    /** Connecting has a bound of its own; this one lets the end of the drain, and Ctrl-C, end it. */
    private void connecting(Closeable socket) {
        deadline.guard(socket);
        deadline.set(System.nanoTime() + 2 * timeoutNanos);
    }

    private void received(int count) {
        if (clock.phase() == Phase.WINDOW) {
            bytesInWindow += count;
            clock.bytes.add(count);
        }
        if (download) {
            long now = System.nanoTime();
            if (throttle != null) {
                throttle.received(count, now);
                // The server is not late while this client waits.
                deadline.extend(Math.max(now, throttle.lineNanos()) + timeoutNanos);
                throttle.await(clock::isOver);
                now = System.nanoTime();
            }
            lastProgress = now;
            deadline.extend(now + timeoutNanos);
        }
    }

    private void succeeded(long due, boolean ticket, int answers) {
        failuresInARow = 0;
        if (download && startedInWindow) {
            // Whether or not it ends inside the window: counting only those that do would favour the fast ones.
            recording.download(start, timing);
            // An empty file has no line.
            if (throttle != null && timing.bodyBytes() > 0) {
                recording.throttleLateness(timing.end() - throttle.lineNanos());
            }
        }
        boolean counts = byClock ? clock.inWindow(due)
                : ticket || !clock.limited() && clock.phase() == Phase.WINDOW;
        if (!counts) {
            clock.warmup.add(answers);
            return;
        }
        clock.requests.add(answers);
        if (cell.isOpen()) {
            recording.exchange(due, start, timing);
        } else {
            recording.exchange(start, timing);
        }
    }

    private void failed(Failure failure) {
        clock.bytes.add(-bytesInWindow);
        clock.faults.add(failure);
        pacing.pause(FIRST_PAUSE_NANOS << Math.min(failuresInARow++, MOST_DOUBLINGS));
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
