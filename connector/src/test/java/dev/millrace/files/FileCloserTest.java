package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.TestFiles;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files are closed in the background, and only so many threads take part in it: one. */
class FileCloserTest {
    private static final int FILES = 1000;

    @TempDir
    Path directory;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final FileCloser closer = new FileCloser();
    private final AtomicInteger jobs = new AtomicInteger();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final CountDownLatch allowed = new CountDownLatch(1);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private void close() {
        mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
        try {
            allowed.await();
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
        atOnce.decrementAndGet();
        closed.incrementAndGet();
    }

    private void closeMany() {
        closer.start(job -> {
            jobs.incrementAndGet();
            threads.execute(job);
        });
        for (int i = 0; i < FILES; i++) {
            closer.close(this::close);
        }
    }

    @Test
    void takesOneThread() {
        closeMany();
        assertEquals(1, jobs.get());
        assertTrue(closer.isBehind());
        allowed.countDown();
        Await.until("all closed", () -> closed.get() == FILES);
        assertEquals(1, mostAtOnce.get());
        Await.until("no longer behind", () -> !closer.isBehind());
        closer.close(this::close);
        Await.until("the next closed", () -> closed.get() == FILES + 1);
    }

    @Test
    void closesWhatWaitsWhenItStops() {
        closeMany();
        allowed.countDown();
        closer.stop();
        Await.until("all closed", () -> closed.get() == FILES);
        closer.close(this::close);
        assertEquals(FILES + 1, closed.get());
    }

    @Test
    void closesOnTheCurrentThreadWhenThereIsNoOther() {
        allowed.countDown();
        closer.start(job -> {
            throw new RejectedExecutionException();
        });
        closer.close(this::close);
        closer.close(this::close);
        assertEquals(2, closed.get());
    }

    @Test
    void owesNothingForFilesThatAreOpenedWhileItIsBehind() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        closeMany();
        OpenFile file = OpenFile.open(directory.resolve("file.bin"), closer);
        assertEquals(ByteBuffer.wrap(bytes, 10, 1000), file.token(10, 1000));
        file.release();
        assertTrue(file.isOpen());
        allowed.countDown();
        Await.until("closed", () -> !file.isOpen());
        assertFalse(file.retain());
        assertThrows(ClosedChannelException.class, file::channel, "nobody would close what is opened again");
    }
}
