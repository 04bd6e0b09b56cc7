package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Logged;
import org.eclipse.jetty.logging.JettyLevel;
import org.junit.jupiter.api.Test;

/** A quarter of the descriptors for the files of all caches, and fewer when the system has refused one. */
class OpenFileBudgetTest {
    private static final int LIMIT = 320;
    private static final int SHARE = LIMIT / 4;
    private static final int SCARCE_SHARE = LIMIT / 32;

    /** Descriptors that others have. */
    private int others;

    private final Files first = new Files();
    private final Files second = new Files();
    private final OpenFileBudget budget = new OpenFileBudget(LIMIT, () -> others + first.open + second.open < LIMIT);

    private static final class Files implements OpenFileBudget.Keeper {
        private int kept;
        private int open;
        private int sent;

        @Override
        public int keptFiles() {
            return kept;
        }

        @Override
        public void giveUp() {
            kept = Math.max(0, kept - 1);
        }

        @Override
        public void closeGivenUp() {
            open = Math.max(kept, sent);
        }
    }

    private void open(Files files, int number) {
        for (int i = 0; i < number; i++) {
            files.kept++;
            files.open++;
            budget.onKept();
        }
    }

    @Test
    void isOneForAllCaches() {
        budget.add(first);
        budget.add(second);
        open(first, SHARE);
        assertEquals(SHARE, first.kept);
        open(second, SHARE);
        assertEquals(SHARE, first.kept + second.kept);
        assertEquals(SHARE / 2, second.kept);
    }

    @Test
    void isNotForACacheThatIsGone() {
        budget.add(first);
        budget.add(second);
        open(first, SHARE);
        budget.remove(first);
        open(second, SHARE);
        assertEquals(SHARE, second.kept);
    }

    @Test
    void isSmallAfterARefusal() {
        budget.add(first);
        open(first, SHARE);
        others = LIMIT - SHARE;
        assertTrue(budget.makeRoom());
        assertEquals(SCARCE_SHARE, first.open);
        open(first, SHARE);
        assertEquals(SCARCE_SHARE, first.kept);
        assertEquals(SCARCE_SHARE, budget.maxFiles());
    }

    @Test
    void isGivenUpToTheLastFile() {
        budget.add(first);
        open(first, SHARE);
        others = LIMIT - SCARCE_SHARE;
        assertTrue(budget.makeRoom());
        assertTrue(first.open < SCARCE_SHARE);
        others = LIMIT - first.open;
        assertTrue(budget.makeRoom());
        others = LIMIT - first.open;
        assertEquals(first.open > 0, budget.makeRoom());
    }

    @Test
    void makesNoRoomOfFilesThatAreSent() {
        budget.add(first);
        open(first, SHARE);
        first.sent = SHARE;
        others = LIMIT - SHARE;
        assertFalse(budget.makeRoom());
        assertEquals(0, first.kept);
    }

    @Test
    void makesNoRoomWhereThereIsSome() {
        budget.add(first);
        open(first, SHARE);
        assertFalse(budget.makeRoom());
        assertEquals(SHARE, first.kept);
    }

    @Test
    void makesRoomOfFilesThatOnlyWaitToBeClosed() {
        budget.add(first);
        open(first, SHARE);
        first.open = LIMIT;
        try (Logged logged = new Logged(OpenFileBudget.class.getName())) {
            assertTrue(budget.makeRoom());
            assertEquals(SHARE, first.open);
            assertEquals(SHARE, first.kept);
            assertEquals(SHARE, budget.maxFiles());
            assertEquals(0, logged.count("No descriptor"));
        }
    }

    /** A peer that asks for file after file would fill the log, when each is given up for the next. */
    @Test
    void isToldTwentyTimesAMinuteWhenDescriptorsStayScarce() {
        budget.add(first);
        try (Logged logged = new Logged(OpenFileBudget.class.getName())) {
            for (int i = 0; i < 100; i++) {
                others = LIMIT - 1;
                open(first, 1);
                assertTrue(budget.makeRoom());
                assertEquals(0, first.open);
            }
            assertEquals(20, logged.count("No descriptor of 320 was left (ulimit -n): gave up 1 files"));
            assertEquals(20, logged.count("WARN"));
        }
    }

    private void assertTold(int times, int files) {
        try (Logged logged = new Logged(OpenFileBudget.class.getName(), JettyLevel.INFO)) {
            open(first, files);
            open(first, files);
            assertEquals(times, logged.count("keep 80 files open, a quarter of the 320 descriptors"));
            assertEquals(times, logged.count("a quarter"));
        }
    }

    @Test
    void isToldOnceWhenItIsReached() {
        budget.add(first);
        assertTold(1, SHARE);
    }

    @Test
    void isNotToldOfTheSmallPart() {
        budget.add(first);
        open(first, SHARE / 2);
        others = LIMIT - SHARE / 2;
        assertTrue(budget.makeRoom());
        assertTold(0, SHARE);
    }
}
