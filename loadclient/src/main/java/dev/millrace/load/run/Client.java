package dev.millrace.load.run;

import dev.millrace.load.host.TimerSlack;
import dev.millrace.load.http.Call;
import dev.millrace.load.http.Connection;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.Timing;
import dev.millrace.load.run.CellClock.Phase;
import dev.millrace.load.scenario.Script;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** One client: one thread, with one connection and one exchange at a time. Confined to its thread. */
final class Client implements LoadClient {

    /**
     * Pause after a failure without an answer, doubled by each further one. A refused connect costs 20 microseconds: without
     * the pause, thousands of clients would load the machine when the server is gone. After a wrong answer there is none: what
     * is due in it would be late by this client.
     */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int MOST_DOUBLINGS = 7;

    private final Cell cell;
    private final Script script;
    private final CellClock clock;
    private final Connector connector;
    private final long timeoutNanos;
    private final Recording recording;
    private final Turn turn;
    private final Pacing pacing;
    private final @Nullable Throttle throttle;
    private final Deadline deadline = new Deadline();
    private final boolean keepAlive;
    private final boolean download;

    private final byte[] chunk;
    private final IntConsumer meter = this::received;
    private Timing timing = new Timing();
    /** The timing of the first part of a resumed download. */
    private Timing firstPart = new Timing();

    private @Nullable Connection connection;
    /** When the exchange began; for a resumed download, its first part. */
    private long start;

    private boolean startedInWindow;
    /** The answer has come, and the server must close. */
    private boolean answered;
    /** A download was broken off, and the rest of it must be requested next. */
    private boolean awaitsSecondPart;

    private long bytesInWindow;
    private int failuresInARow;
    private long lastProgress;

    /**
     * A client of a cell.
     *
     * @param number   the client's number, counted from 0
     * @param settings of the run
     */
    Client(Cell cell, int number, RunSettings settings, CellClock clock, SocketSettings sockets, Recording recording) {
        this.cell = cell;
        this.script = cell.workload().script(settings.seedOf(number));
        this.clock = clock;
        this.timeoutNanos = settings.timeout().toNanos();
        this.recording = recording;
        this.turn = clock.newTurn();
        this.connector =
                new Connector(cell.workload().target().address(), sockets, clock, recording, deadline, timeoutNanos);
        this.pacing = new Pacing(cell, number, settings.ramp(), clock);
        this.throttle = cell.limitRate() > 0 ? new Throttle(cell.limitRate()) : null;
        this.keepAlive = cell.workload().keepAlive();
        this.download = cell.workload().countsBytes();
        this.chunk = new byte[chunkBytes(settings.quantumBytes())];
    }

    private int chunkBytes(int quantumBytes) {
        if (throttle == null) {
            return cell.workload().readBufferBytes();
        }
        return quantumBytes > 0 ? quantumBytes : Throttle.quantum(cell.limitRate());
    }

    @Override
    public Deadline deadline() {
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
                awaitTurn();
                long due = pacing.awaitNext();
                Phase phase = clock.phase();
                if (clock.isBeyond(due) || (phase == Phase.DRAIN && !isStillOwed(due))) {
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
                } while (awaitsSecondPart);
                turn.sent();
            }
        } finally {
            drop();
        }
    }

    private void awaitTurn() {
        while (!turn.await() && clock.phase() != Phase.DRAIN) {
            // Waits in await.
        }
    }

    /**
     * Whether a request that was due in the window must be sent after its end. Otherwise the requests that had to wait
     * longest would be missing from the latencies.
     */
    private boolean isStillOwed(long due) {
        if (!cell.isOpen() || !clock.inWindow(due)) {
            return false;
        }
        // When the server is gone, the requests that a long window left behind are not sent: each would fail at once.
        if (clock.isOver() || failuresInARow > MOST_DOUBLINGS) {
            clock.unsent.add(pacing.owedFrom(due));
            return false;
        }
        return true;
    }

    /**
     * Makes an exchange, and counts a fault of this program as a failure, or else the client would end in silence. Such
     * a fault is the end of the client's small stack, at a document of many levels.
     */
    private void attempt(long due, boolean ticket) {
        try {
            exchange(due, ticket);
        } catch (RuntimeException | StackOverflowError e) {
            deadline.clear();
            awaitsSecondPart = false;
            drop();
            failed(new Failure(FailureKind.OTHER, e.toString()));
        }
    }

    private void exchange(long due, boolean ticket) {
        boolean isSecondPart = awaitsSecondPart;
        awaitsSecondPart = false;
        answered = false;
        if (!isSecondPart) {
            start = cell.isOpen() ? System.nanoTime() : due;
            bytesInWindow = 0;
            startedInWindow = cell.isOpen() ? clock.inWindow(due) : clock.phase() == Phase.WINDOW;
        }
        Connection current = connection == null ? connect() : connection;
        if (current != null) {
            exchange(current, due, ticket, isSecondPart);
        } else if (isSecondPart) {
            // The second part is dropped: requested later, it would be counted as a download of its own.
            script.next();
        }
    }

    private void exchange(Connection current, long due, boolean ticket, boolean isSecondPart) {
        if (throttle != null) {
            throttle.start();
        }
        lastProgress = System.nanoTime();
        deadline.set(lastProgress + timeoutNanos);
        Failure failure;
        boolean complete = false;
        Call call = script.next();
        try {
            failure = current.exchange(call, timing, meter);
            answered = true;
            if (!keepAlive) {
                current.awaitClose();
            }
            awaitsSecondPart = current.brokenOff();
            complete = true;
            if (isSecondPart) {
                timing.addFirstPart(firstPart);
            }
        } catch (IOException e) {
            failure = Failure.ofExchange(e);
        }
        boolean inTime = deadline.clear();
        if (!inTime || !keepAlive || !current.reusable()) {
            drop();
        }
        if (!inTime && !complete) {
            awaitsSecondPart = false;
            aborted();
        } else if (failure != null) {
            failed(failure);
        } else if (awaitsSecondPart) {
            Timing other = firstPart;
            firstPart = timing;
            timing = other;
        } else {
            succeeded(due, ticket, call.answers());
        }
    }

    /** Counts an exchange that the watchdog has aborted: as late, or as unfinished at the end of the drain. */
    private void aborted() {
        if (System.nanoTime() - lastProgress >= timeoutNanos) {
            failed(answered ? cell.notClosed(timeoutNanos) : cell.late(timeoutNanos, timing.bodyBytes()));
        } else if (download && clock.drained() && lastProgress - clock.windowEnd() < 0) {
            clock.stalled.increment();
        } else {
            clock.cutOff.increment();
        }
    }

    private @Nullable Connection connect() {
        connection = connector.open(chunk);
        Failure failure = connector.failure();
        if (failure != null) {
            failed(failure);
        }
        return connection;
    }

    private void received(int count) {
        Phase phase = clock.phase();
        if (phase == Phase.WINDOW) {
            bytesInWindow += count;
            clock.bytes.add(count);
        } else if (phase == Phase.WARMUP) {
            clock.warmupBytes.add(count);
        }
        if (download) {
            long now = System.nanoTime();
            if (throttle != null) {
                throttle.received(count, now);
                // While this client waits for the throttle, the server cannot be late.
                deadline.extend(Math.max(now, throttle.dueNanos()) + timeoutNanos);
                boolean due = throttle.await(clock::isOver);
                now = System.nanoTime();
                if (!due) {
                    // The client aborts its download itself. Until the watchdog looks, it would read at full speed.
                    deadline.check(now, true);
                }
            }
            lastProgress = now;
            deadline.extend(now + timeoutNanos);
        }
    }

    private void succeeded(long due, boolean ticket, int answers) {
        failuresInARow = 0;
        if (download && startedInWindow) {
            // Downloads that end after the window count too: without them the fast ones would be favoured.
            recording.download(start, timing);
            // An empty file has no first byte that the throttle could count from. By the clock, the start is late.
            if (throttle != null && !cell.isOpen() && timing.bodyBytes() > 0) {
                recording.throttleLateness(timing.end() - throttle.dueNanos());
            }
        }
        if (cell.isOpen() ? clock.inWindow(due) : clock.counts(ticket)) {
            clock.requests.add(answers);
        } else if (cell.isOpen() || !clock.isBelated(startedInWindow)) {
            // In the open model it may have been due while the window's end was noted.
            clock.warmup.add(answers);
            return;
        }
        if (cell.isOpen()) {
            recording.exchange(due, start, timing);
        } else {
            recording.exchange(start, timing);
        }
    }

    private void failed(Failure failure) {
        clock.bytes.add(-bytesInWindow);
        clock.faults.add(failure);
        int before = failuresInARow++;
        if (!answered) {
            pacing.pause(FIRST_PAUSE_NANOS << Math.min(before, MOST_DOUBLINGS));
        }
    }

    private void drop() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }
}
