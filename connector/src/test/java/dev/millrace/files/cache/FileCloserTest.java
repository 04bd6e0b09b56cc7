package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.TestFiles;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
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
        await(allowed);
        atOnce.decrementAndGet();
        closed.incrementAndGet();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    private void start() {
        closer.start(job -> {
            jobs.incrementAndGet();
            threads.execute(job);
        });
    }

    private void closeMany() {
        start();
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
    void startsAgainAfterAPoolThatDidNotGetToIt() {
        allowed.countDown();
        closer.start(neverRun -> {});
        closer.close(this::close);
        assertEquals(0, closed.get());
        closer.stop();
        assertEquals(1, closed.get());
        closer.start(threads);
        closer.close(this::close);
        Await.until("closed by the next pool", () -> closed.get() == 2);
    }

    @Test
    void aJobOfTheStartBeforeLetsNoSecondOneIn() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch before = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        closer.start(job -> threads.execute(() -> {
            job.run();
            over.countDown();
        }));
        closer.close(() -> {
            begun.countDown();
            await(before);
        });
        await(begun);
        closer.stop();
        start();
        closer.close(this::close);
        Await.until("the next job has begun", () -> atOnce.get() == 1);
        before.countDown();
        await(over);
        closer.close(this::close);
        assertEquals(1, jobs.get());
        allowed.countDown();
        Await.until("all closed", () -> closed.get() == 2);
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
    void closesOnTheCurrentThreadWhenTheSystemHasNoOther() {
        allowed.countDown();
        closer.start(job -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        closer.close(this::close);
        closer.close(this::close);
        assertEquals(2, closed.get());
    }

    @Test
    void closesOnTheCurrentThreadWhenThePoolFails() {
        allowed.countDown();
        closer.start(job -> {
            throw new IllegalStateException("meant to fail");
        });
        closer.close(this::close);
        closer.close(this::close);
        assertEquals(2, closed.get());
    }

    @Test
    void closesTheOthersWhenOneFailsByAnError() {
        start();
        closer.close(() -> {
            await(allowed);
            throw new OutOfMemoryError("meant to fail");
        });
        closer.close(this::close);
        allowed.countDown();
        Await.until("the other is closed", () -> closed.get() == 1);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_22, disabledReason = "before, nobody asks whether a mapping is in use")
    void closesAFileOneOfWhoseMappingsIsInUse() throws Exception {
        TestFiles.write(directory, "file.bin", 10_000_000);
        OpenFile file = OpenFile.open(directory.resolve("file.bin"), closer);
        ByteBuffer token = file.token(0, 10_000_000);
        Pipe full = Pipe.open();
        Future<Integer> write = threads.submit(() -> full.sink().write(token));
        // More than the pipe holds: once it has a byte, the write is inside of the system.
        assertEquals(1, full.source().read(ByteBuffer.allocate(1)));
        file.release();
        assertFalse(file.isOpen());
        full.source().close();
        assertTrue(write.get(30, TimeUnit.SECONDS) < 10_000_000);
        full.sink().close();
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
        assertFalse(file.tryRetain());
        assertThrows(ClosedChannelException.class, file::channel, "nobody would close what is opened again");
    }
}
