package dev.millrace.load.run;

import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.host.ServerCpu;
import dev.millrace.load.http.Fault;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a cell's figures are figures of. In the closed model something always bounds throughput: the server's cores, the
 * client's, both together, or the time that nobody works while all wait. Stateless.
 */
final class Verdict {

    /** Begins the verdict on figures that do not stand for what they say. */
    static final String INVALID = "invalid";

    /** Right answers only, and what bounded them cannot be told. */
    private static final String UNKNOWN = "ok";
    private static final double BUSY = 0.95;
    private static final double NOT_BUSY = 0.90;
    private static final double NO_IDLE = 0.05;
    private static final double MUCH_IDLE = 0.10;
    private static final double RATE_REACHED = 0.98;
    private static final double RATE_EXCEEDED = 1.02;
    /** Ticks of 10 ms say nothing about a per cent of a shorter window. */
    private static final double MIN_SECONDS_FOR_STEAL = 2;
    private static final double MIN_SECONDS_FOR_BOUND = 0.5;

    private Verdict() {
    }

    /**
     * What decides.
     *
     * @param sent       in the open model, requests due in the window that were sent before its end
     * @param drainTells whether what had not ended with the drain is a sign of something wrong
     */
    record Facts(Cell cell, double seconds, Counts counts, long sent, Map<String, FaultCount> errors, CpuUse cpu,
                 Series series, boolean stopped, boolean drainTells, ServerCpu server, RunSettings.Limits limits) {

        boolean noPorts() {
            return errors.containsKey(Fault.PORT_EXHAUSTION.label());
        }

        String bound() {
            return cell.isOpen() ? "at-rate" : Verdict.bound(this);
        }
    }

    static String of(Facts facts) {
        // With the wish to end go servers that got the same signal: errors then are no verdict on them.
        if (!facts.errors().isEmpty() && !facts.noPorts() && !facts.stopped()) {
            return "errors";
        }
        String flaw = flaw(facts);
        return flaw == null ? facts.bound() : INVALID + ": " + flaw;
    }

    /** Why the figures would not stand for what they say even if there were no errors; null if they would. */
    static String flaw(Facts facts) {
        if (facts.noPorts()) {
            return "ports";
        }
        if (facts.stopped()) {
            return "stopped early";
        }
        String flaw = leftOver(facts);
        if (flaw != null) {
            return flaw;
        }
        long done = facts.cell().workload().countsBytes() ? facts.counts().bytes() : facts.counts().requests();
        if (done == 0) {
            return "nothing completed";
        }
        if (facts.counts().requests() == 0) {
            return "no download ended in the window";
        }
        flaw = facts.cell().isOpen() ? otherRate(facts) : null;
        flaw = flaw == null ? unsteady(facts) : flaw;
        String required = facts.limits().require();
        return flaw != null || required == null || required.equals(facts.bound()) ? flaw : facts.bound();
    }

    private static String leftOver(Facts facts) {
        Counts counts = facts.counts();
        if (!facts.drainTells()) {
            return null;
        }
        if (counts.unsent() > 0) {
            return counts.unsent() + " requests of the rate were not sent";
        }
        if (counts.stalled() > 0) {
            return counts.stalled() + " downloads stalled";
        }
        return counts.cutOff() > 0 && !facts.cell().workload().countsBytes()
                ? counts.cutOff() + " requests unanswered when the drain ended" : null;
    }

    /**
     * A rate counts as reached if the requests were sent by the window's end: what was sent later is in the latencies,
     * but the server did not bear that load. One request more or less is a matter of where the window's edges fell.
     */
    private static String otherRate(Facts facts) {
        double due = facts.cell().rate() * facts.seconds();
        long answered = facts.counts().requests();
        long failed = facts.errors().values().stream().mapToLong(FaultCount::count).sum();
        long reached = Math.min(facts.sent(), answered + failed);
        if (reached < due * RATE_REACHED - 1) {
            return String.format(Locale.ROOT, "rate not reached (%.0f)", reached / facts.seconds());
        }
        if (answered > due * RATE_EXCEEDED + 1) {
            return String.format(Locale.ROOT, "rate exceeded (%.0f)", answered / facts.seconds());
        }
        return null;
    }

    private static String unsteady(Facts facts) {
        RunSettings.Limits limits = facts.limits();
        List<Long> series = facts.cell().workload().countsBytes() ? facts.series().bytes() : facts.series().requests();
        if (limits.maxCov() != null && series.size() > 1) {
            double cov = Steadiness.cov(series) * 100;
            if (cov > limits.maxCov()) {
                return String.format(Locale.ROOT, "unsteady (%.1f %%)", cov);
            }
        }
        Double total = facts.cpu().total();
        if (limits.maxSteal() != null && total != null && facts.seconds() >= MIN_SECONDS_FOR_STEAL) {
            double steal = facts.cpu().steal() / total * 100;
            if (steal > limits.maxSteal()) {
                return String.format(Locale.ROOT, "steal (%.1f %%)", steal);
            }
        }
        return null;
    }

    private static String bound(Facts facts) {
        CpuUse cpu = facts.cpu();
        Double total = cpu.total();
        if (total == null || cpu.client() == null || facts.seconds() < MIN_SECONDS_FOR_BOUND) {
            return UNKNOWN;
        }
        double cores = total / facts.seconds();
        double client = cpu.client() / facts.seconds()
                / Math.min(cores, new ProcessCpu(ProcessHandle.current().pid()).allowedCores().orElse(cores));
        if (cpu.server() == null || cpu.serverElsewhere()) {
            // How many cores the server has is not known then, nor who else works on them.
            return client >= BUSY ? "client-bound" : UNKNOWN;
        }
        double server = cpu.server() / facts.seconds() / Math.min(cores, facts.server().allowedCores().orElse(cores));
        if (server >= BUSY) {
            return "server-bound";
        }
        if (client >= BUSY && server < NOT_BUSY) {
            return "client-bound";
        }
        double idle = cpu.idle() / total;
        return idle > MUCH_IDLE ? "latency-bound" : idle < NO_IDLE ? "box-bound" : "mixed";
    }
}
