package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.benmanes.caffeine.cache.Ticker;
import dev.millrace.testing.TestFiles;
import dev.millrace.transfer.OpenFileBudget;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that has come into the cache is the cache's, whatever fails behind that; one that has not is nobody's. */
class KeptFilesTest {
    @TempDir
    Path directory;

    /** Another cache of the process, which fails on the test's own thread: others may run beside it. */
    private static final class FailingKeeper implements OpenFileBudget.Keeper {
        private final Thread test = Thread.currentThread();

        @Override
        public int keptFiles() {
            if (Thread.currentThread() == test) {
                throw new InternalError("meant to fail");
            }
            return 0;
        }

        @Override
        public void giveUp() {}

        @Override
        public void closeGivenUp() {}
    }

    @Test
    void areOpenThoughTheBudgetFails() throws Exception {
        TestFiles.write(directory, "file.bin", 1000);
        OpenFileCache<OpenFile> cache = new OpenFileCache<>(() -> 10, () -> 1000, content -> {});
        OpenFileBudget.Keeper failing = new FailingKeeper();
        OpenFileBudget.ofProcess().add(failing);
        try {
            assertThrows(
                    InternalError.class,
                    () -> cache.add("/file.bin", directory.resolve("file.bin"), null, opened -> opened));
        } finally {
            OpenFileBudget.ofProcess().remove(failing);
        }
        OpenFile file = cache.get("/file.bin");
        assertNotNull(file);
        assertTrue(file.isOpen());
        assertEquals(1, cache.keptFiles());
        cache.stop();
        assertEquals(0, cache.keptFiles());
    }

    /** Has Caffeine fail from some reading on, as for want of memory. */
    private static final class FailingClock implements Ticker {
        private int readings;
        private boolean failing = true;

        @Override
        public long read() {
            readings--;
            if (failing && readings < 0) {
                throw new InternalError("meant to fail");
            }
            return 0;
        }
    }

    /** @param readings none: fails before the file is in the cache; one: behind that */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void areLetGoOfOnceWhereTheCacheFailsToTakeThem(int readings) throws Exception {
        TestFiles.write(directory, "file.bin", 1000);
        FailingClock clock = new FailingClock();
        clock.readings = readings;
        OpenFile[] sent = new OpenFile[1];
        OpenFileCache<OpenFile> cache = new OpenFileCache<>(() -> 10, () -> 1000, content -> {}, clock);
        assertThrows(
                InternalError.class,
                () -> cache.add("/file.bin", directory.resolve("file.bin"), null, opened -> {
                    // As by a response that has found it.
                    assertTrue(opened.tryRetain());
                    sent[0] = opened;
                    return opened;
                }));
        assertEquals(readings, cache.size());
        clock.failing = false;
        cache.stop();
        assertEquals(0, cache.keptFiles());
        assertTrue(sent[0].isOpen());
        sent[0].release();
        assertFalse(sent[0].isOpen());
    }
}
