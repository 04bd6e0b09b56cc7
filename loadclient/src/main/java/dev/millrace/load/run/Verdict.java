package dev.millrace.load.run;

import dev.millrace.load.host.ProcessCpu;
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
    /** Ticks of 10 ms say nothing about a per cent of a shorter window. */
    private static final double MIN_SECONDS_FOR_STEAL = 2;
    private static final double MIN_SECONDS_FOR_BOUND = 0.5;

    private Verdict() {
    }

    /** What decides. */
    record Facts(Cell cell, double seconds, Counts counts, Map<String, FaultCount> errors, CpuUse cpu, Series series,
                 boolean stopped, ProcessCpu server, RunSettings.Limits limits) {
    }

    static String of(Facts facts) {
        String invalid = invalid(facts);
        if (invalid != null) {
            return INVALID + ": " + invalid;
        }
        if (!facts.errors().isEmpty()) {
            return "errors";
        }
        String bound = facts.cell().isOpen() ? "at-rate" : bound(facts);
        String required = facts.limits().require();
        return required == null || required.equals(bound) ? bound : INVALID + ": " + bound;
    }

    private static String invalid(Facts facts) {
        boolean portsOnly = facts.errors().containsKey(Fault.PORT_EXHAUSTION.label());
        if (portsOnly) {
            return "ports";
        }
        if (!facts.errors().isEmpty()) {
            return null;
        }
        if (facts.stopped()) {
            return "stopped early";
        }
        long done = facts.cell().workload().countsBytes() ? facts.counts().bytes() : facts.counts().requests();
        if (done == 0) {
            return "nothing completed";
        }
        double rate = facts.counts().requests() / facts.seconds();
        if (facts.cell().isOpen() && rate < facts.cell().rate() * RATE_REACHED) {
            return String.format(Locale.ROOT, "rate not reached (%.0f)", rate);
        }
        return unsteady(facts);
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
        double server = cpu.server() == null ? 0
                : cpu.server() / facts.seconds() / Math.min(cores, facts.server().allowedCores().orElse(cores));
        double client = cpu.client() / facts.seconds()
                / Math.min(cores, new ProcessCpu(ProcessHandle.current().pid()).allowedCores().orElse(cores));
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
