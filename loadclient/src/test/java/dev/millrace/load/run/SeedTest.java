package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.Target;
import dev.millrace.load.run.RunSettings.Warmup;
import dev.millrace.load.scenario.Script;
import dev.millrace.load.scenario.Workload;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines that measure together have neighbouring seeds, and no client of one draws what a client of another does. */
class SeedTest {

    private static final int CLIENTS = 64;

    /** Work that notes the seeds of its scripts. */
    private record Noting(Target target, Set<Long> seeds) implements Workload {

        @Override
        public Map<String, String> parameters() {
            return Map.of();
        }

        @Override
        public Script script(long seed) {
            seeds.add(seed);
            return () -> {
                throw new IllegalStateException("nothing is sent");
            };
        }
    }

    private static Set<Long> seeds(long seed, int streams) {
        Noting work = new Noting(Target.of("http://127.0.0.1:1/"), new HashSet<>());
        Duration second = Duration.ofSeconds(1);
        new CellRun(
                new Cell("", CLIENTS, 0, 0, streams > 1 ? Protocol.H2C : Protocol.HTTP1, streams, work),
                RunSettings.of(Warmup.of(second), second, second, second, seed),
                null,
                (warmingUp, seconds, left, requests, bytes, errors) -> {});
        return work.seeds();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void neighboursHaveNothingInCommon(int streams) {
        Set<Long> all = new HashSet<>();
        for (long seed : List.of(0L, 1L, 2L, 42L)) {
            Set<Long> one = seeds(seed, streams);
            assertEquals(one, seeds(seed, streams), "a run can be repeated");
            all.addAll(one);
        }
        assertEquals(4 * CLIENTS * streams, all.size());
    }
}
