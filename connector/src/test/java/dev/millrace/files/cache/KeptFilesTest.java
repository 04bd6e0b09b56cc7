package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.TestFiles;
import dev.millrace.transfer.OpenFileBudget;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that has come into the cache is the cache's, whatever fails behind that. */
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
}
