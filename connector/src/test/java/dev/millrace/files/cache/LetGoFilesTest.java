package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.testing.FailingScheduler;
import dev.millrace.testing.HeldJobs;
import dev.millrace.testing.TestFiles;
import java.nio.file.Path;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that the cache has let go of is closed, though the scheduler takes no task for the end of its grace. */
class LetGoFilesTest {
    @TempDir
    Path directory;

    @Test
    void areClosedWithoutAGrace() throws Exception {
        TestFiles.write(directory, "file.bin", 1000);
        FailingScheduler scheduler = new FailingScheduler();
        scheduler.setFailing(false);
        HeldJobs threads = new HeldJobs();
        OpenFileCache<OpenFile> cache = new OpenFileCache<>(() -> 10, () -> 1000, content -> {});
        cache.start(new Server(threads, scheduler, null));
        OpenFile file = cache.add("/file.bin", directory.resolve("file.bin"), null, opened -> opened);
        scheduler.setFailing(true);
        file.onFailed();
        assertNull(cache.get("/file.bin"));
        assertEquals(1, threads.jobs().size());
        threads.jobs().remove().run();
        assertFalse(file.isOpen());
        cache.stop();
    }
}
