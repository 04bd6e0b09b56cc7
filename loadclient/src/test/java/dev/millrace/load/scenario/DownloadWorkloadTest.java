package dev.millrace.load.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.http.Target;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The order in which clients request files. */
class DownloadWorkloadTest {

    private static final int FILES = 10;
    private static final int ROUNDS = 4;

    private static DownloadWorkload workload() {
        List<CatalogFile> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            files.add(new CatalogFile("f" + i, 1, null));
        }
        return new DownloadWorkload(Target.of("http://127.0.0.1:1/"), "mix", files, true, Verify.NONE, 1, List.of());
    }

    private static List<String> asked(long seed) {
        Script script = workload().script(seed);
        List<String> asked = new ArrayList<>();
        for (int i = 0; i < FILES * ROUNDS; i++) {
            asked.add(script.next().request().target().requestTarget());
        }
        return asked;
    }

    /** The number of files that a client takes from its first deck, before whole decks follow. */
    private static int first(List<String> asked) {
        for (int start = 1; start <= FILES; start++) {
            boolean whole = true;
            for (int i = start; i + FILES <= asked.size(); i += FILES) {
                whole &= new HashSet<>(asked.subList(i, i + FILES)).size() == FILES;
            }
            if (whole) {
                return start;
            }
        }
        return -1;
    }

    @Test
    void clientsBeginAtDifferentPlacesOfTheirDecks() {
        Set<Integer> starts = new HashSet<>();
        for (long seed = 42; seed < 142; seed++) {
            int start = first(asked(seed));
            assertTrue(start > 0, "after the first deck all are whole");
            starts.add(start);
        }
        assertEquals(FILES, starts.size(), starts::toString);
    }

    @Test
    void theSameSeedGivesTheSameOrder() {
        assertEquals(asked(7), asked(7));
    }
}
