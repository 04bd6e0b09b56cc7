package dev.millrace.load.run;

import dev.millrace.load.host.ServerCpu;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.Target;
import dev.millrace.load.run.CellClock.Phase;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs one cell: starts the clients, warms the server up, opens and closes the window, waits for exchanges begun in it,
 * and adds up. One thread calls {@link #run} once; any thread may call {@link #stop}.
 */
public final class CellRun {

    /** SO_RCVBUF of throttled clients by default: with a large one the server would not feel the throttle. */
    public static final int THROTTLED_RECEIVE_BUFFER = 64 * 1024;

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long POLL = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int MOST_RECORDINGS = 256;
    /** Share of the server's CPU time that its JIT compilers may use in a steady state. */
    private static final double COMPILERS_REST = 0.01;

    /** Interval at which a waiting thread looks whether the run was stopped. */
    private static final long STOP_CHECK = TimeUnit.MILLISECONDS.toNanos(50);

    private final Cell cell;
    private final RunSettings settings;
    private final @Nullable ServerCpu server;
    private final ProgressListener progress;
    private final CellClock clock;
    private final CpuProbe cpu;
    private final List<LoadClient> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Recording> recordings = new ArrayList<>();
    private final SecondCounts series;
    private final List<String> notes = new ArrayList<>();
    private volatile boolean stopped;
    private @Nullable String flaw;

    /** A run of a cell; the server is null when its process is not known. */
    public CellRun(Cell cell, RunSettings settings, @Nullable ServerCpu server, ProgressListener progress) {
        this.cell = cell;
        this.settings = settings;
        this.server = server;
        this.progress = progress;
        this.clock =
                cell.isOpen() ? CellClock.ofRate(cell.rate(), settings.requests()) : new CellClock(settings.requests());
        this.series = new SecondCounts(clock);
        this.cpu = new CpuProbe(server);
        createClients();
    }

    /** Ends the window early; {@link #run} returns what was measured so far. */
    public void stop() {
        stopped = true;
        clock.closeWindow(System.nanoTime());
    }

    /**
     * The reason why the figures are invalid even if all errors are forgiven; null if there is none. It is known when
     * {@link #run} has returned.
     */
    public @Nullable String flaw() {
        return flaw;
    }

    /**
     * Runs the cell.
     *
     * @param repetition counted from 0
     * @throws InterruptedException if the calling thread is interrupted; the clients end then
     */
    public CellResult run(int repetition) throws InterruptedException {
        return run(repetition, new SharedWindow(List.of(clock), List.of(cpu)));
    }

    CellClock clock() {
        return clock;
    }

    CpuProbe cpu() {
        return cpu;
    }

    /** Runs the cell in a window that it may share with others. */
    CellResult run(int repetition, SharedWindow window) throws InterruptedException {
        try (Watchdog watchdog = new Watchdog(clients)) {
            boolean warm = !settings.warmup().time().isZero();
            startThreads();
            window.await();
            if (warm) {
                begin(System.nanoTime());
                warmUp();
            }
            window.await();
            if (!stopped) {
                if (!warm) {
                    begin(window.start());
                }
                passWindow();
            }
            window.await();
            drain(watchdog);
            return result(repetition, window);
        } finally {
            window.leave();
            clock.closeWindow(System.nanoTime());
            clock.endDrain(false);
        }
    }

    private void warmUp() throws InterruptedException {
        RunSettings.Warmup warmup = settings.warmup();
        for (int burst = 0; burst < warmup.bursts() && !stopped; burst++) {
            waitAndSample(warmup.time().toNanos(), true);
            if (!warmup.rest().isZero()) {
                rest(warmup.rest());
            }
        }
        if (warmup.detect()) {
            detectSteadiness(warmup);
        }
    }

    private void rest(Duration time) throws InterruptedException {
        clock.rest(true);
        waitAndSample(time.toNanos(), true);
        clock.rest(false);
        wake();
    }

    private void detectSteadiness(RunSettings.Warmup warmup) throws InterruptedException {
        long end = System.nanoTime() + warmup.most().minus(warmup.time()).toNanos();
        double compilers = 1;
        while (!stopped
                && !(Steadiness.reached(judged(series.warmup(), series.warmupBytes())) && compilers < COMPILERS_REST)) {
            if (System.nanoTime() - end > 0) {
                notes.add("not steady after a warm-up of " + RunSettings.text(warmup.most()));
                return;
            }
            long compiledBefore = cpu.compilerNanos();
            long usedBefore = cpu.serverNanos();
            // Each call takes one sample, for which the time must be a little longer than its interval.
            waitAndSample(SECOND + POLL, true);
            long used = cpu.serverNanos() - usedBefore;
            compilers = used <= 0 ? 0 : (double) (cpu.compilerNanos() - compiledBefore) / used;
        }
        if (!stopped) {
            notes.add("steady after a warm-up of "
                    + RunSettings.text(Duration.ofSeconds(series.warmup().size())));
        }
    }

    /** Few downloads of large files end in a second, and never equally many: their bytes are steady. */
    List<Long> judged(List<Long> requests, List<Long> bytes) {
        return cell.workload().countsBytes() ? bytes : requests;
    }

    private void passWindow() throws InterruptedException {
        waitAndSample(Math.min(settings.duration().toNanos(), clock.mostNanos()), false);
        // A window without any result would be worthless: it stays open for the first answer or error.
        long latest = System.nanoTime() + settings.timeout().toNanos();
        while (nothingYet() && System.nanoTime() - latest < 0 && !clock.awaitEnd(POLL)) {
            // Waits in awaitEnd.
        }
    }

    private boolean nothingYet() {
        return Verdict.isNothing(cell, clock.requests.sum(), clock.bytes.sum()) && clock.faults.total() == 0;
    }

    /**
     * Lets the clients begin. All their threads are started before: clients that work already would delay the start of
     * the next thread where they outnumber the cores.
     */
    private void begin(long now) {
        clock.start(now);
        wake();
    }

    private void wake() {
        threads.forEach(LockSupport::unpark);
    }

    private void startThreads() {
        try {
            threads.forEach(Thread::start);
        } catch (OutOfMemoryError e) {
            // The JVM throws this when clone(2) fails, whatever the state of the heap.
            throw new IllegalStateException(
                    threads.size() + " clients need as many threads: " + e.getMessage()
                            + " (on JDK 21 and newer more than 1,000 are virtual)",
                    e);
        }
    }

    private void createClients() {
        ThreadFactory factory = ClientThreads.forClients(cell.clients());
        for (int i = 0; i < cell.clients(); i++) {
            if (i < MOST_RECORDINGS) {
                recordings.add(new Recording());
            }
            SocketSettings sockets = sockets(cell, i, settings);
            Recording recording = recordings.get(i % MOST_RECORDINGS);
            LoadClient client = cell.streams() > 1
                    ? new StreamsClient(cell, i, settings, clock, sockets, recording)
                    : new Client(cell, i, settings, clock, sockets, recording);
            clients.add(client);
            threads.add(factory.newThread(client));
        }
    }

    /** The socket settings of one of a cell's clients, counted from 0. */
    static SocketSettings sockets(Cell cell, int client, RunSettings settings) {
        List<InetAddress> sources = settings.sources();
        InetAddress source = sources.isEmpty() ? null : sources.get(client % sources.size());
        int receiveBuffer = settings.receiveBufferBytes() == 0 && cell.limitRate() > 0
                ? THROTTLED_RECEIVE_BUFFER
                : settings.receiveBufferBytes();
        Target target = cell.workload().target();
        return SocketSettings.to(target, settings.tls(), cell.protocol(), source, receiveBuffer, 0);
    }

    /** Waits until the time is over or the clients have nothing more to do, and takes a sample each second. */
    private void waitAndSample(long nanos, boolean warmingUp) throws InterruptedException {
        long start = System.nanoTime();
        long tick = start;
        while (true) {
            long now = System.nanoTime();
            long left = start + nanos - now;
            if (left <= 0) {
                break;
            }
            long step = Math.min(left, Math.max(1, tick + SECOND - now));
            boolean ended = (clock.limited() && !warmingUp) ? awaitClients(step) : clock.awaitEnd(step);
            if (ended) {
                break;
            }
            long since = System.nanoTime() - tick;
            int seconds = (int) (since / SECOND);
            if (seconds > 0) {
                tick += seconds * SECOND;
                series.add(warmingUp, seconds, seconds * (double) SECOND / since);
                long passed = System.nanoTime() - start;
                show(warmingUp, passed / (double) SECOND, (nanos - passed) / (double) SECOND);
            }
        }
    }

    /** Waits for the end of all clients or of the window, at most that long. Returns whether it has come. */
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

    private void show(boolean warmingUp, double seconds, double left) {
        progress.tick(
                warmingUp,
                seconds,
                clock.limited() && !warmingUp ? Double.NaN : left,
                series.lastRequests(warmingUp),
                series.lastBytes(warmingUp),
                clock.faults.total());
    }

    /** Waits for exchanges that were begun in the window, and then ends those that are left. */
    private void drain(Watchdog watchdog) throws InterruptedException {
        if (!join(settings.drain(), true)) {
            clock.endDrain(drainIsConclusive());
            watchdog.abortAll();
            join(settings.timeout().plusSeconds(1), false);
        }
    }

    /** Whether the server is to blame for exchanges that outlast the drain. It is not where Ctrl-C ended the window. */
    private boolean drainIsConclusive() {
        return !stopped && settings.drainIsConclusive();
    }

    private boolean join(Duration bound, boolean unlessStopped) throws InterruptedException {
        long end = System.nanoTime() + bound.toNanos();
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                long left = end - System.nanoTime();
                if (left <= 0 || (unlessStopped && stopped)) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.min(left, STOP_CHECK));
            }
        }
        return true;
    }

    /** Notes that clients have begun in the window, or never: its figures are those of fewer clients. */
    private void noteRamp(double seconds) {
        Duration warmup = settings.warmup().total();
        double begun = (warmup.toNanos() / (double) SECOND + seconds)
                / (settings.ramp().toNanos() / (double) SECOND);
        if (settings.ramp().compareTo(warmup) > 0) {
            notes.add("clients began in the window, for --ramp is longer than the warm-up"
                    + (begun < 1
                            ? ": " + (int) Math.ceil(begun * cell.clients()) + " of " + cell.clients() + " did"
                            : ""));
        }
    }

    /** Notes exchanges that outlasted the drain and do not make the figures invalid. */
    private void noteUnfinished(Counts counts) {
        if (stopped) {
            return;
        }
        if (counts.cutOff() > 0 && cell.workload().countsBytes()) {
            notes.add(counts.cutOff() + " downloads were still going on at the end: their bytes count, their content "
                    + "is not checked");
        } else if (counts.cutOff() > 0 && !drainIsConclusive()) {
            notes.add(counts.cutOff() + " requests were unanswered at the end");
        }
        if (counts.unsent() > 0 && !drainIsConclusive()) {
            notes.add(counts.unsent() + " requests of the rate were not sent");
        }
    }

    private CellResult result(int repetition, SharedWindow window) {
        // By the milliseconds that its end came late, a short window would show another rate than was sent.
        double seconds = Math.min(window.seconds(), clock.mostNanos() / (double) SECOND);
        CpuUse used = window.used(cpu);
        notes.addAll(cpu.notes(used));
        Recording sum = new Recording();
        recordings.forEach(recording -> recording.addTo(sum));
        Counts counts = new Counts(
                clock.requests.sum(),
                clock.bytes.sum(),
                clock.connections.sum(),
                clock.cutOff.sum(),
                clock.stalled.sum(),
                clock.unsent.sum());
        noteUnfinished(counts);
        noteRamp(seconds);
        if (clock.streamLimit.get() < cell.streams()) {
            notes.add("the server allows " + clock.streamLimit + " streams on a connection");
        }
        Series whole = series.series();
        Verdict.Facts facts = new Verdict.Facts(
                cell,
                seconds,
                counts,
                clock.sent.sum(),
                clock.faults.byKind(),
                used,
                whole,
                stopped,
                drainIsConclusive(),
                server,
                settings.limits());
        flaw = Verdict.flaw(facts);
        return new CellResult(
                cell.label(),
                cell.parameters(),
                repetition,
                cell.isOpen() ? "open" : "closed",
                cell.workload().countsBytes(),
                seconds,
                counts,
                clock.faults.byKind(),
                sum.times(),
                sum.sizes(),
                sum.tls(),
                used,
                whole,
                HistogramCodec.encode(sum.latency()),
                Verdict.of(facts),
                List.copyOf(notes),
                window.startMillis());
    }
}
