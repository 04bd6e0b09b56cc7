package dev.millrace.conformance.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the fuzzer has found, the malformed requests of the connectors' tests, and some drawn inputs are answered as by Jetty's connector. */
@Timeout(60)
class CorpusReplayTest {
    private static final long FIRST_SEED = 1;
    private static final int DRAWN = 300;

    private static List<Trials.Named> inputs() throws Exception {
        List<Trials.Named> inputs = new ArrayList<>();
        for (Map<String, Input> corpus : List.of(Corpus.malformed(), Corpus.found())) {
            corpus.forEach((name, input) -> inputs.add(new Trials.Named(name, input)));
        }
        Generator generator = Generator.ofCorpus();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + DRAWN; seed++) {
            inputs.add(new Trials.Named("seed " + seed, generator.input(seed)));
        }
        return inputs;
    }

    @Test
    void answersAsJettyDoes() throws Exception {
        Iterator<Trials.Named> inputs = inputs().iterator();
        List<String> faults = new ArrayList<>();
        try (Servers servers = new Servers(Fuzz.kinds());
                Client client = new Client()) {
            Judge judge = new Judge(client, servers.control());
            Trials trials = new Trials(
                    servers,
                    client,
                    judge,
                    (name, fault) -> faults.add(name + "\n" + InputText.format(fault.input()) + "\n" + fault));
            trials.run(() -> inputs.hasNext() ? inputs.next() : null);
            assertTrue(trials.inputs() > DRAWN + 150, "inputs: " + trials.inputs());
        }
        assertEquals(List.of(), faults);
    }
}
