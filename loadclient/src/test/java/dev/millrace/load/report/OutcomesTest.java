package dev.millrace.load.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The line that says all verdicts. */
class OutcomesTest {

    /** Ctrl-C may come before the second server was measured. */
    @Test
    void aRunThatEndsEarlyMayHaveNone() {
        assertEquals("verdict: nothing was compared", Outcomes.all(List.of()).summary());
    }
}
