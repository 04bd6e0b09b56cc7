package dev.millrace.load.run;

import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.run.CellClock.Phase;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs one cell: starts the clients, lets them warm up, opens and closes the window, waits for exchanges begun in it, and
 * adds up. {@link #run} is called once, by one thread; {@link #stop} by any.
 */
public final class CellRun {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long POLL = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long STACK_BYTES = 256 * 1024;

    private final Cell cell;
    private final RunSettings settings;
    private final CpuProbe cpu;
    private final ProgressListener progress;
    private final CellClock clock;
    private final List<Client> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Long> requestSeries = new ArrayList<>();
    private final List<Long> byteSeries = new ArrayList<>();
    private volatile boolean stopped;
    private long seenRequests;
    private long seenBytes;

    /** A run of a cell; the server may be null when it is not on this machine. */
    public CellRun(Cell cell, RunSettings settings, ProcessCpu server, ProgressListener progress) {
        this.cell = cell;
        this.settings = settings;
        this.cpu = new CpuProbe(server);
        this.progress = progress;
        this.clock = new CellClock(settings.requests());
    }

    /** Ends the window early; {@link #run} returns what was measured so far. */
    public void stop() {
        stopped = true;
        clock.phase(Phase.DRAIN);
    }

    /**
     * Runs the cell.
     *
     * @param label      name of the server variant
     * @param repetition counted from 0
     * @throws InterruptedException if the calling thread is interrupted; all clients have been told to end then
     */
    public CellResult run(String label, int repetition) throws InterruptedException {
        createClients();
        try (Watchdog watchdog = new Watchdog(clients)) {
            if (!settings.warmup().isZero()) {
                threads.forEach(Thread::start);
                pass(settings.warmup().toNanos(), true);
            }
            cpu.start();
            long start = System.nanoTime();
            if (!stopped) {
                window();
            }
            CpuUse used = cpu.stop();
            double seconds = (System.nanoTime() - start) / (double) SECOND;
            clock.phase(Phase.DRAIN);
            drain(watchdog);
            return new Summary(cell, clock, clients, requestSeries, byteSeries)
                    .result(label, repetition, seconds, used, stopped);
        } finally {
            clock.phase(Phase.DRAIN);
        }
    }

    private void window() throws InterruptedException {
        clock.phase(Phase.WINDOW);
        if (settings.warmup().isZero()) {
            threads.forEach(Thread::start);
        }
        pass(settings.duration().toNanos(), false);
        // A window in which nothing ends says nothing: it stays open for the first answer, or error.
        long latest = System.nanoTime() + settings.timeout().toNanos();
        while (nothingYet() && System.nanoTime() - latest < 0 && !clock.awaitEnd(POLL)) {
            continue;
        }
    }

    private boolean nothingYet() {
        long done = cell.workload().countsBytes() ? clock.bytes.sum() : clock.requests.sum();
        return done == 0 && clock.faults.total() == 0;
    }

    private void createClients() {
        for (int i = 0; i < cell.clients(); i++) {
            List<InetAddress> sources = settings.sources();
            InetAddress source = sources.isEmpty() ? null : sources.get(i % sources.size());
            SocketSettings sockets = new SocketSettings(source, settings.receiveBufferBytes(),
                    Math.toIntExact(settings.timeout().toMillis()));
            Client client = new Client(cell.workload(), settings.seed() + i, clock, sockets,
                    settings.timeout().toNanos());
            clients.add(client);
            Thread thread = new Thread(null, client, "client-" + i, STACK_BYTES);
            thread.setDaemon(true);
            threads.add(thread);
        }
    }

    /** Lets time pass, telling the listener each second, until it is over, or the clients have nothing more to do. */
    private void pass(long nanos, boolean warmingUp) throws InterruptedException {
        long start = System.nanoTime();
        long tick = start;
        while (true) {
            long now = System.nanoTime();
            long left = start + nanos - now;
            if (left <= 0) {
                break;
            }
            long step = Math.min(left, Math.max(1, tick + SECOND - now));
            boolean ended = clock.limited() && !warmingUp ? awaitClients(step) : clock.awaitEnd(step);
            if (ended) {
                break;
            }
            if (System.nanoTime() - tick >= SECOND) {
                tick += SECOND;
                sample(warmingUp, (System.nanoTime() - start) / (double) SECOND);
            }
        }
    }

    private boolean awaitClients(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        for (Thread thread : threads) {
            long left = end - System.nanoTime();
            if (left > 0) {
                TimeUnit.NANOSECONDS.timedJoin(thread, left);
            }
            if (thread.isAlive()) {
                return clock.phase() == Phase.DRAIN;
            }
        }
        return true;
    }

    private void sample(boolean warmingUp, double seconds) {
        long requests = clock.requests.sum();
        long bytes = clock.bytes.sum();
        if (!warmingUp) {
            requestSeries.add(requests - seenRequests);
            byteSeries.add(bytes - seenBytes);
        }
        progress.tick(warmingUp, seconds, requests - seenRequests, bytes - seenBytes, clock.faults.total());
        seenRequests = requests;
        seenBytes = bytes;
    }

    private void drain(Watchdog watchdog) throws InterruptedException {
        if (!join(stopped ? Duration.ZERO : settings.drain())) {
            watchdog.abortAll();
            join(settings.timeout().plusSeconds(1));
        }
    }

    private boolean join(Duration bound) throws InterruptedException {
        long end = System.nanoTime() + bound.toNanos();
        for (Thread thread : threads) {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, end - System.nanoTime()));
            if (thread.isAlive()) {
                return false;
            }
        }
        return true;
    }
}
