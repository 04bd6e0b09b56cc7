package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.testing.Interleavings;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Files that come to be closed while the job that closes them ends: see {@link Interleavings}. */
class FileCloserLincheck {
    @Test
    void closesEachFileOnceAndOneAfterTheOther() {
        Interleavings.explore(() -> {
            Queue<Thread> jobs = new ConcurrentLinkedQueue<>();
            AtomicInteger closed = new AtomicInteger();
            AtomicBoolean isClosing = new AtomicBoolean();
            Runnable file = () -> {
                assertFalse(isClosing.getAndSet(true), "two at once");
                closed.incrementAndGet();
                isClosing.set(false);
            };
            FileCloser closer = new FileCloser();
            closer.start(job -> {
                Thread thread = new Thread(job);
                jobs.add(thread);
                thread.start();
            });
            Interleavings.together(() -> closer.close(file), () -> closer.close(file));
            for (Thread job = jobs.poll(); job != null; job = jobs.poll()) {
                Interleavings.join(job);
            }
            assertEquals(2, closed.get());
        });
    }

    @Test
    void leavesNothingBehindAStop() {
        Interleavings.explore(() -> {
            Queue<Thread> jobs = new ConcurrentLinkedQueue<>();
            AtomicInteger closed = new AtomicInteger();
            FileCloser closer = new FileCloser();
            closer.start(job -> {
                Thread thread = new Thread(job);
                jobs.add(thread);
                thread.start();
            });
            Interleavings.together(() -> closer.close(closed::incrementAndGet), closer::stop);
            for (Thread job = jobs.poll(); job != null; job = jobs.poll()) {
                Interleavings.join(job);
            }
            assertEquals(1, closed.get());
        });
    }
}
