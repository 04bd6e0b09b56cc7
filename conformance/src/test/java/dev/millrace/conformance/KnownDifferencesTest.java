package dev.millrace.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A difference is a fault unless it is listed, and a listed one that no longer occurs is one too. */
class KnownDifferencesTest {
    private static final KnownDifferences NONE = new KnownDifferences(List.of("# remark", ""));

    private static Map<String, SortedMap<String, String>> results(String control, String ours) {
        return Map.of(
                Listeners.CONTROL,
                new TreeMap<>(Map.of("case one", control)),
                "nio",
                new TreeMap<>(Map.of("case one", ours)));
    }

    @Test
    void aDifferenceIsAFault() {
        assertEquals(List.of(), NONE.faults("tool", results("passed", "passed")));
        assertEquals(
                List.of("tool nio case one: failed, the control: passed"),
                NONE.faults("tool", results("passed", "failed")));
        assertEquals(
                List.of("tool nio case one: passed, the control: failed"),
                NONE.faults("tool", results("failed", "passed")));
    }

    @Test
    void aCaseThatIsMissingIsAFault() {
        Map<String, SortedMap<String, String>> results =
                Map.of(Listeners.CONTROL, new TreeMap<>(Map.of("a", "passed")), "nio", new TreeMap<>());
        assertEquals(List.of("tool nio a: none, the control: passed"), NONE.faults("tool", results));
    }

    @Test
    void aListedDifferenceIsNoneWhileItOccurs() {
        KnownDifferences listed = new KnownDifferences(List.of("tool\tnio\tcase one\tsome reason"));
        assertEquals(List.of(), listed.faults("tool", results("passed", "failed")));
        assertEquals(
                List.of("tool nio case one: listed, but no difference"),
                listed.faults("tool", results("passed", "passed")));
        assertEquals(List.of(), listed.faults("other", results("passed", "passed")));
    }

    @Test
    void aRaceMayGoEitherWayOnAnyListener() {
        KnownDifferences listed = new KnownDifferences(List.of("tool\t*\tcase one\tsome race"));
        for (String ours : List.of("passed", "failed")) {
            assertEquals(List.of(), listed.faults("tool", results("passed", ours)));
        }
    }

    @Test
    void eachHasItsReason() throws Exception {
        assertThrows(IllegalArgumentException.class, () -> new KnownDifferences(List.of("tool\tnio\tcase one\t ")));
        assertNotNull(KnownDifferences.load());
    }
}
