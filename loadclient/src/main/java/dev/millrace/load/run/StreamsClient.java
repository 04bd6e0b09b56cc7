package dev.millrace.load.run;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.Http2Connection;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.StreamListener;
import dev.millrace.load.http.Timing;
import dev.millrace.load.run.CellClock.Phase;
import dev.millrace.load.scenario.Script;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One client with several requests under way at once, on one connection of HTTP/2, in the closed model. One thread
 * starts them and reads their answers. Confined to its thread.
 */
final class StreamsClient implements LoadClient {

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int MOST_DOUBLINGS = 7;
    private static final byte[] NO_CHUNK = new byte[1];

    private final Cell cell;
    private final CellClock clock;
    private final Recording recording;
    private final Pacing pacing;
    private final Deadline deadline = new Deadline();
    private final Connector connector;
    private final long timeoutNanos;
    private final Deque<Slot> free = new ArrayDeque<>();
    /** Requests under way, the oldest first. */
    private final Set<Slot> busy = new LinkedHashSet<>();

    private @Nullable Http2Connection connection;
    /** Whether the watchdog has closed the connection. */
    private boolean aborting;

    private int failuresInARow;
    private boolean failedNow;

    StreamsClient(
            Cell cell, int number, RunSettings settings, CellClock clock, SocketSettings sockets, Recording recording) {
        this.cell = cell;
        this.clock = clock;
        this.recording = recording;
        this.pacing = new Pacing(cell, number, settings.ramp(), clock);
        this.timeoutNanos = settings.timeout().toNanos();
        this.connector =
                new Connector(cell.workload().target().address(), sockets, clock, recording, deadline, timeoutNanos);
        for (int i = 0; i < cell.streams(); i++) {
            long seed = settings.seedOf((long) number * cell.streams() + i);
            free.add(new Slot(cell.workload().script(seed)));
        }
    }

    @Override
    public Deadline deadline() {
        return deadline;
    }

    @Override
    public void run() {
        pacing.awaitStart();
        try {
            do {
                fill();
                if (!busy.isEmpty()) {
                    await(Objects.requireNonNull(connection));
                }
                // While requests are under way, a pause would be in their latencies: nobody reads their answers.
                if (failedNow && busy.isEmpty()) {
                    int doublings = Math.min(failuresInARow / cell.streams(), MOST_DOUBLINGS);
                    pacing.pause(FIRST_PAUSE_NANOS << doublings);
                }
                failedNow = false;
            } while (!busy.isEmpty() || (clock.phase() != Phase.DRAIN && !clock.ticketsGone()));
        } finally {
            drop();
        }
    }

    /** Starts as many requests as may be under way. */
    private void fill() {
        while (!free.isEmpty() && !failedNow) {
            if (connection != null && (busy.size() >= connection.streamLimit() || !connection.reusable())) {
                if (!busy.isEmpty()) {
                    return;
                }
                drop();
            }
            boolean idle = busy.isEmpty();
            if (!idle && clock.isResting()) {
                return;
            }
            // Who waits reads nothing: the rest would be in the latencies of requests that are under way.
            long now = idle ? pacing.awaitNext() : System.nanoTime();
            Phase phase = clock.phase();
            boolean ticket = phase == Phase.WINDOW && clock.limited();
            if (phase == Phase.DRAIN || (ticket && !clock.takeTicket())) {
                return;
            }
            Http2Connection current = connection == null ? connect() : connection;
            if (current != null) {
                start(current, now, ticket);
            }
        }
    }

    private @Nullable Http2Connection connect() {
        Http2Connection opened = null;
        Failure failure;
        try {
            opened = (Http2Connection) connector.open(NO_CHUNK);
            failure = connector.failure();
        } catch (RuntimeException | StackOverflowError e) {
            deadline.clear();
            failure = new Failure(FailureKind.OTHER, e.toString());
        }
        connection = opened;
        if (opened != null && opened.streamLimit() < cell.streams()) {
            clock.streamLimit.accumulateAndGet(opened.streamLimit(), Math::min);
        }
        if (failure != null) {
            failed(failure);
        }
        if (opened != null && opened.streamLimit() == 0) {
            failed(new Failure(FailureKind.REFUSED, "the server allows no stream"));
            drop();
        }
        return connection;
    }

    private void start(Http2Connection current, long now, boolean ticket) {
        Slot slot = free.remove();
        busy.add(slot);
        IOException failure = null;
        // A server that does not read lets the write wait.
        deadline.set(now + timeoutNanos);
        try {
            slot.start(current, now, ticket);
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException | StackOverflowError e) {
            failure = new IOException(e.toString(), e);
        }
        settle(current, failure);
        if (failure != null && busy.contains(slot)) {
            // The connection has not got to know this request, and does not tell of its end.
            slot.ended(new Failure(FailureKind.OTHER, Failure.firstLine(failure)));
        }
    }

    private void await(Http2Connection current) {
        IOException failure = null;
        deadline.set(busy.iterator().next().lastProgress + timeoutNanos);
        try {
            current.await();
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException | StackOverflowError e) {
            // A fault of this program counts as a failure too. Otherwise the client would end in silence.
            failure = new IOException(e.toString(), e);
        }
        settle(current, failure);
    }

    /** Ends a step on the connection. The watchdog may have closed it meanwhile, or the step has failed. */
    private void settle(Http2Connection current, @Nullable IOException failure) {
        aborting = !deadline.clear();
        if (aborting || failure != null) {
            lost(current, failure == null ? new IOException("closed by the watchdog") : failure);
        }
    }

    /** Ends all requests that were under way on a connection, because it has failed. */
    private void lost(Http2Connection current, IOException failure) {
        current.fail(failure);
        aborting = false;
        drop();
    }

    private void failed(Failure failure) {
        clock.faults.add(failure);
        failuresInARow++;
        failedNow = true;
    }

    private void drop() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    /** One of the requests that are under way at once. */
    private final class Slot implements StreamListener, IntConsumer {

        private final Script script;
        private final Timing timing = new Timing();
        private long start;
        private long lastProgress;
        private long bytesInWindow;
        private boolean startedInWindow;
        private boolean ticket;

        Slot(Script script) {
            this.script = script;
        }

        void start(Http2Connection current, long now, boolean withTicket) throws IOException {
            start = now;
            lastProgress = now;
            bytesInWindow = 0;
            startedInWindow = clock.phase() == Phase.WINDOW;
            ticket = withTicket;
            current.send(script.next(), timing, this, this);
        }

        @Override
        public void accept(int count) {
            Phase phase = clock.phase();
            if (phase == Phase.WINDOW) {
                bytesInWindow += count;
                clock.bytes.add(count);
            } else if (phase == Phase.WARMUP) {
                clock.warmupBytes.add(count);
            }
            if (cell.workload().countsBytes()) {
                lastProgress = System.nanoTime();
                deadline.extend(busy.iterator().next().lastProgress + timeoutNanos);
            }
        }

        @Override
        public void ended(@Nullable Failure failure) {
            busy.remove(this);
            free.add(this);
            if (aborting) {
                aborted();
            } else if (failure != null) {
                clock.bytes.add(-bytesInWindow);
                failed(failure);
            } else {
                succeeded();
            }
        }

        private void aborted() {
            boolean late = System.nanoTime() - lastProgress >= timeoutNanos;
            if (late || !clock.isOver()) {
                clock.bytes.add(-bytesInWindow);
                failed(
                        late
                                ? cell.late(timeoutNanos, timing.bodyBytes())
                                : new Failure(
                                        FailureKind.TIMEOUT,
                                        "closed, because another request of the connection got no answer"));
            } else if (cell.workload().countsBytes() && clock.drained() && lastProgress - clock.windowEnd() < 0) {
                clock.stalled.increment();
            } else {
                clock.cutOff.increment();
            }
        }

        private void succeeded() {
            failuresInARow = 0;
            if (cell.workload().countsBytes() && startedInWindow) {
                recording.download(start, timing);
            }
            if (clock.counts(ticket)) {
                clock.requests.increment();
            } else if (!clock.isBelated(startedInWindow)) {
                clock.warmup.increment();
                return;
            }
            recording.exchange(start, timing);
        }
    }
}
