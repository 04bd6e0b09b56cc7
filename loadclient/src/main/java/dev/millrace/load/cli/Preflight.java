package dev.millrace.load.cli;

import dev.millrace.load.host.LocalPorts;
import dev.millrace.load.host.Sockets;
import dev.millrace.load.run.Cell;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks before a run whether local ports and file descriptors suffice. Stateless. */
final class Preflight {

    private static final int OTHER_DESCRIPTORS = 50;

    private Preflight() {}

    /**
     * The results of the checks.
     *
     * @param refusals reasons why the run would be invalid
     * @param notes    remarks for the user
     */
    record Findings(List<String> refusals, List<String> notes) {}

    /** Checks the cells, of which those of equal parameters may be measured together. */
    static Findings of(Plan plan, boolean together) {
        List<String> refusals = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        OptionalLong descriptors = Sockets.freeDescriptors();
        int sources = plan.settings().sources().size();
        for (Cell cell : plan.cells()) {
            LocalPorts ports =
                    LocalPorts.towards(cell.workload().target().address().getAddress(), sources > 0);
            check(cell, ports, sources, refusals, notes);
            int servers = together ? plan.servers().entries().size() : 1;
            descriptors(cell.clients() * servers, descriptors).ifPresent(refusals::add);
        }
        return new Findings(
                refusals.stream().distinct().toList(), notes.stream().distinct().toList());
    }

    /** A refusal if the clients need more descriptors than are free. */
    static Optional<String> descriptors(int clients, OptionalLong free) {
        // The JVM needs some more for its files, jars and reports.
        return free.isPresent() && clients + OTHER_DESCRIPTORS > free.getAsLong()
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "%,d clients need as many file descriptors, %,d are free: " + "raise the limit by ulimit -n",
                        clients,
                        free.getAsLong()))
                : Optional.empty();
    }

    /** Checks a cell that connects from a number of named addresses; 0 for the address of the system's choice. */
    static void check(Cell cell, LocalPorts ports, int sources, List<String> refusals, List<String> notes) {
        int addresses = Math.max(1, sources);
        long available = (long) ports.count() * addresses;
        if (cell.clients() > available) {
            refusals.add(String.format(
                    Locale.ROOT,
                    "%,d clients need as many local ports, there are %,d: add "
                            + "addresses by --source-ip, or widen net.ipv4.ip_local_port_range",
                    cell.clients(),
                    available));
        }
        if (cell.workload().keepAlive()) {
            return;
        }
        double sustainable = ports.sustainablePerSecond(addresses);
        if (cell.rate() > sustainable) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%,.0f connections/s, closed per request: if the server leaves closing to "
                            + "the client, they use up %,d local ports that rest %d s after use: at most %,.0f/s; %s",
                    cell.rate(),
                    available,
                    ports.timeWaitSeconds(),
                    sustainable,
                    advice(ports, sources)));
        } else if (cell.rate() == 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "connections closed per request: if the server leaves closing to the "
                            + "client, local ports do for %,.0f connections/s (for more %s)",
                    sustainable,
                    advice(ports, sources)));
        }
    }

    private static String advice(LocalPorts ports, int sources) {
        if (ports.reusedSoon()) {
            // A named address would not help: its ports stay in TIME_WAIT for 60 s.
            return "widen net.ipv4.ip_local_port_range";
        }
        return "add addresses by --source-ip" + (sources > 0 ? "" : ", or set net.ipv4.tcp_tw_reuse=1");
    }
}
