package dev.millrace.conformance.fuzz;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Sends inputs to all servers, many at once. A {@link Judge} sees the outcomes that differ from the control's. */
final class Trials {
    private static final int AT_ONCE = 24;

    private final Servers servers;
    private final Client client;
    private final Judge judge;
    private final BiConsumer<String, Judge.Fault> faults;
    private final List<Trial> suspects = new ArrayList<>();
    private long inputs;
    private long bytesSent;
    private long bytesRead;
    private int running;

    /** An input with a name by which it can be found again. */
    record Named(String name, Input input) {}

    private record Trial(Named named, Map<Tested, Outcome> outcomes) {}

    /**
     * Trials of inputs.
     *
     * @param faults gets the name of the input and its fault
     */
    Trials(Servers servers, Client client, Judge judge, BiConsumer<String, Judge.Fault> faults) {
        this.servers = servers;
        this.client = client;
        this.judge = judge;
        this.faults = faults;
    }

    /** Runs inputs until the source returns null. */
    void run(Supplier<Named> source) throws IOException {
        Named next = source.get();
        while (next != null || running > 0) {
            while (next != null && running < AT_ONCE) {
                begin(next);
                next = source.get();
            }
            client.advance();
            if (!suspects.isEmpty()) {
                // The judge repeats conversations, which nothing else may disturb.
                while (running > 0) {
                    client.advance();
                }
                suspects.forEach(this::judge);
                suspects.clear();
            }
        }
    }

    private void begin(Named named) throws IOException {
        running++;
        inputs++;
        Trial trial = new Trial(named, new HashMap<>());
        begin(trial, servers.control());
        for (Tested one : servers.ours()) {
            begin(trial, one);
        }
    }

    private void begin(Trial trial, Tested tested) throws IOException {
        bytesSent += trial.named.input().bytes().length;
        client.begin(trial.named.input(), tested, outcome -> accept(trial, tested, outcome));
    }

    private void accept(Trial trial, Tested tested, Outcome outcome) {
        bytesRead += outcome.answer().length();
        trial.outcomes.put(tested, outcome);
        if (trial.outcomes.size() == servers.ours().size() + 1) {
            running--;
            Outcome controls = trial.outcomes.get(servers.control());
            if (trial.outcomes.values().stream().anyMatch(one -> !one.equals(controls))) {
                suspects.add(trial);
            }
        }
    }

    private void judge(Trial trial) {
        Outcome controls = trial.outcomes.get(servers.control());
        for (Tested one : servers.ours()) {
            Judge.Fault fault = judge.judge(trial.named.input(), one, trial.outcomes.get(one), controls);
            if (fault != null) {
                faults.accept(trial.named.name(), fault);
            }
        }
    }

    long inputs() {
        return inputs;
    }

    long bytesSent() {
        return bytesSent;
    }

    long bytesRead() {
        return bytesRead;
    }
}
