package dev.millrace.conformance.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Decides whether an outcome of one of our connectors is a fault. It is none if the control has the same outcome for
 * these bytes at some time, with these cuts or with others. A network may deliver bytes in any pieces. Otherwise it is
 * one, unless it is a {@link KnownDifference}. Confined to one thread.
 */
final class Judge {
    private static final int CONTROL_RUNS = 24;

    private final Client client;
    private final Tested control;
    private final Map<String, Long> raced = new TreeMap<>();
    private final Map<KnownDifference, Long> known = new EnumMap<>(KnownDifference.class);

    /** An outcome that the control never had. */
    record Fault(Input input, Tested tested, Outcome ours, Outcome controls) {
        /** A text that is the same for faults that look alike. */
        String signature() {
            return ours.summary() + " for " + controls.summary();
        }
    }

    /**
     * A judge.
     *
     * @param client has no other conversation while a method of this runs
     */
    Judge(Client client, Tested control) {
        this.client = client;
        this.control = control;
    }

    /**
     * Judges one outcome.
     *
     * @param controls the control's outcome at the same time
     * @return null if the outcome is as it should be
     */
    Fault judge(Input input, Tested tested, Outcome ours, Outcome controls) {
        if (ours.equals(controls)) {
            return null;
        }
        KnownDifference expected = KnownDifference.between(input, ours, controls);
        if (expected != null) {
            known.merge(expected, 1L, Long::sum);
            return null;
        }
        for (Input arrival : arrivals(input)) {
            Outcome again = client.hold(arrival, control);
            if (again.equals(ours)) {
                raced.merge(ours.summary() + " for " + controls.summary(), 1L, Long::sum);
                return null;
            }
            KnownDifference difference = KnownDifference.between(input, ours, again);
            if (difference != null) {
                known.merge(difference, 1L, Long::sum);
                return null;
            }
        }
        return new Fault(input, tested, ours, controls);
    }

    /**
     * The ways in which the bytes may come. An answer can depend on one cut. If a whole field line is there, Jetty's
     * parser may give its value as it stands in a table of known fields. Otherwise it gives what was sent.
     */
    private static List<Input> arrivals(Input input) {
        List<Input> arrivals = new ArrayList<>();
        for (int i = 0; i < CONTROL_RUNS / 4; i++) {
            arrivals.addAll(List.of(input, input.merged(), input.rested(), input));
        }
        List<Input.Cut> cuts = input.rested().cuts();
        cuts.forEach(cut -> arrivals.add(input.withCuts(List.of(cut))));
        Random random = new Random(Arrays.hashCode(input.bytes()));
        for (int i = 0; i < CONTROL_RUNS && cuts.size() > 2; i++) {
            arrivals.add(input.withCuts(
                    cuts.stream().filter(cut -> random.nextBoolean()).toList()));
        }
        return arrivals;
    }

    /** Runs an input on both, some times, and returns the first fault, null if there is none. */
    Fault search(Input input, Tested tested, int runs) {
        Map<String, Long> racedBefore = Map.copyOf(raced);
        Map<KnownDifference, Long> knownBefore = Map.copyOf(known);
        Fault fault = null;
        for (int i = 0; i < runs && fault == null; i++) {
            fault = judge(input, tested, client.hold(input, tested), client.hold(input, control));
        }
        // The counts are those of the run's own inputs.
        raced.clear();
        raced.putAll(racedBefore);
        known.clear();
        known.putAll(knownBefore);
        return fault;
    }

    /** How often the control had an outcome of ours only when it was asked again, by what differed at first. */
    Map<String, Long> raced() {
        return raced;
    }

    Map<KnownDifference, Long> known() {
        return known;
    }
}
