package dev.millrace.load.run;

import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.host.ServerCpu;
import dev.millrace.load.http.FailureKind;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Decides what bounded a cell's throughput, and whether its figures are valid. In the closed model there is always a
 * bound: the server's cores, the client's, both together, or latency while cores are idle. Stateless.
 */
final class Verdict {

    /** The first word of the verdict on figures that cannot be trusted. */
    static final String INVALID = "invalid";

    /** The verdict on figures of which some answers are wrong or missing. */
    static final String ERRORS = "errors";

    /** The reason against the figures of a cell that was ended early. */
    static final String STOPPED = "stopped early";

    /** The reason against the figures of a cell that has used up this machine's local ports. */
    static final String PORTS = "ports";

    /** All answers are right, and the bound is not known. */
    static final String UNKNOWN = "ok";

    /** Share of its allowed cores from which on a process is the bound. */
    private static final double BUSY = 0.95;
    /** Share of its cores below which the server is surely not the bound beside a busy client. */
    private static final double NOT_BUSY = 0.90;
    /** Idle share of the machine below which client and server together are the bound. */
    private static final double NO_IDLE = 0.05;
    /** Idle share of the machine above which latency is the bound. */
    private static final double MUCH_IDLE = 0.10;
    /** Shares of the rate asked for, between which it counts as kept. */
    private static final double RATE_REACHED = 0.98;

    private static final double RATE_EXCEEDED = 1.02;
    /** In a shorter window, ticks of 10 ms are too coarse for per cents. */
    private static final double MIN_SECONDS_FOR_STEAL = 2;

    private static final double MIN_SECONDS_FOR_BOUND = 0.5;

    private Verdict() {}

    /**
     * The facts that a verdict is made from.
     *
     * @param sent              in the open model, requests due in the window that were sent before its end
     * @param drainIsConclusive whether the server is to blame for exchanges that outlasted the drain
     */
    record Facts(
            Cell cell,
            double seconds,
            Counts counts,
            long sent,
            Map<String, FailureCount> errors,
            CpuUse cpu,
            Series series,
            boolean stopped,
            boolean drainIsConclusive,
            @Nullable ServerCpu server,
            RunSettings.Limits limits) {

        boolean noPorts() {
            return errors.containsKey(FailureKind.PORT_EXHAUSTION.label());
        }

        String bound() {
            return cell.isOpen() ? "at-rate" : Verdict.bound(this);
        }
    }

    static String of(Facts facts) {
        // Ctrl-C ends the servers of the same terminal too, so that errors after it do not count against them.
        if (!facts.errors().isEmpty() && !facts.noPorts() && !facts.stopped()) {
            return ERRORS;
        }
        String flaw = flaw(facts);
        return flaw == null ? facts.bound() : INVALID + ": " + flaw;
    }

    /** The reason why the figures would be invalid even without errors; null if there is none. */
    static @Nullable String flaw(Facts facts) {
        if (facts.noPorts()) {
            return PORTS;
        }
        if (facts.stopped()) {
            return STOPPED;
        }
        String flaw = unfinished(facts);
        if (flaw != null) {
            return flaw;
        }
        if (isNothing(facts.cell(), facts.counts().requests(), facts.counts().bytes())) {
            return "nothing completed";
        }
        if (facts.counts().requests() == 0) {
            return "no download ended in the window";
        }
        flaw = facts.cell().isOpen() ? otherRate(facts) : null;
        flaw = flaw == null ? unsteady(facts) : flaw;
        String required = facts.limits().require();
        if (flaw != null || required == null) {
            return flaw;
        }
        String bound = facts.bound();
        if (bound.equals(required)) {
            return null;
        }
        return bound.equals(UNKNOWN) ? "what bounds throughput is not known" : bound;
    }

    /** Whether there is no result. Bytes are one before their download ends; that of an empty file has none. */
    static boolean isNothing(Cell cell, long requests, long bytes) {
        return requests == 0 && (bytes == 0 || !cell.workload().countsBytes());
    }

    /** The flaw of exchanges that had no end, for which the server is to blame; null if there is none. */
    private static @Nullable String unfinished(Facts facts) {
        Counts counts = facts.counts();
        if (!facts.drainIsConclusive()) {
            return null;
        }
        if (counts.unsent() > 0) {
            return counts.unsent() + " requests of the rate were not sent";
        }
        if (counts.stalled() > 0) {
            return counts.stalled() + " downloads stalled";
        }
        return counts.cutOff() > 0 && !facts.cell().workload().countsBytes()
                ? counts.cutOff() + " requests unanswered when the drain ended"
                : null;
    }

    /**
     * A rate counts as reached if the requests were sent by the window's end. Later ones are in the latencies, but the
     * server did not bear that load. One request more or less depends on where the window's edges fell.
     */
    private static @Nullable String otherRate(Facts facts) {
        double due = facts.cell().rate() * facts.seconds();
        long answered = facts.counts().requests();
        long failed =
                facts.errors().values().stream().mapToLong(FailureCount::count).sum();
        long reached = Math.min(facts.sent(), answered + failed);
        if (reached < due * RATE_REACHED - 1) {
            return String.format(Locale.ROOT, "rate not reached (%.0f)", reached / facts.seconds());
        }
        if (answered > due * RATE_EXCEEDED + 1) {
            return String.format(Locale.ROOT, "rate exceeded (%.0f)", answered / facts.seconds());
        }
        return null;
    }

    private static @Nullable String unsteady(Facts facts) {
        RunSettings.Limits limits = facts.limits();
        List<Long> series = facts.cell().workload().countsBytes()
                ? facts.series().bytes()
                : facts.series().requests();
        Double maxCov = limits.maxCov();
        if (maxCov != null) {
            if (series.size() < 2) {
                return "how steady throughput was is not known of a window below 2s";
            }
            double cov = Steadiness.cov(series) * 100;
            if (cov > maxCov) {
                return String.format(Locale.ROOT, "unsteady (%.1f %%)", cov);
            }
        }
        Double total = facts.cpu().total();
        Double stolen = facts.cpu().steal();
        Double stolenShare = total == null || stolen == null ? null : (Double) (stolen / total);
        String flaw = taken(facts, limits.maxSteal(), stolenShare, "steal", "the hypervisor");
        return flaw != null
                ? flaw
                : taken(facts, limits.maxOther(), facts.cpu().othersShare(), "other processes", "other processes");
    }

    /** A limit that cannot be checked counts as exceeded. Without the server's time, that of others would include it. */
    private static @Nullable String taken(
            Facts facts, @Nullable Double most, @Nullable Double share, String name, String who) {
        if (most == null) {
            return null;
        }
        if (share == null) {
            return "what " + who + " took is not known";
        }
        if (facts.seconds() < MIN_SECONDS_FOR_STEAL) {
            return "what " + who + " took is not known of a window below 2s";
        }
        double percent = share * 100;
        return percent > most ? String.format(Locale.ROOT, "%s (%.1f %%)", name, percent) : null;
    }

    private static String bound(Facts facts) {
        CpuUse cpu = facts.cpu();
        Double total = cpu.total();
        Double byClient = cpu.client();
        Double idleSeconds = cpu.idle();
        if (total == null || byClient == null || idleSeconds == null || facts.seconds() < MIN_SECONDS_FOR_BOUND) {
            return UNKNOWN;
        }
        double cores = total / facts.seconds();
        double client = byClient
                / facts.seconds()
                / Math.min(
                        cores,
                        new ProcessCpu(ProcessHandle.current().pid())
                                .allowedCores()
                                .orElse(cores));
        Double byServer = cpu.server();
        ServerCpu process = facts.server();
        OptionalDouble allowed = process == null ? OptionalDouble.empty() : process.allowedCores();
        if (byServer == null || allowed.isEmpty() || cpu.serverElsewhere()) {
            // A server in a container, or elsewhere, may have used up its cores while others are idle here.
            return client >= BUSY ? "client-bound" : UNKNOWN;
        }
        double server = byServer / facts.seconds() / Math.min(cores, allowed.getAsDouble());
        if (server >= BUSY) {
            return "server-bound";
        }
        if (client >= BUSY && server < NOT_BUSY) {
            return "client-bound";
        }
        double idle = idleSeconds / total;
        return idle > MUCH_IDLE ? "latency-bound" : idle < NO_IDLE ? "box-bound" : "mixed";
    }
}
