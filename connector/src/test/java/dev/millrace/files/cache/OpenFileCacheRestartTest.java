package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.HeldJobs;
import dev.millrace.testing.Plans;
import dev.millrace.testing.TestFiles;
import java.nio.file.Path;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sweep that is under way when the cache stops, and comes to its end after the next start; or that gets no thread. */
class OpenFileCacheRestartTest {
    @TempDir
    Path directory;

    private final Plans plans = new Plans();
    private final HeldJobs threads = new HeldJobs();
    private final OpenFileCache<Object> cache = new OpenFileCache<>(() -> 10, () -> 1000, content -> {});

    private void restart(Server server) {
        cache.stop();
        cache.start(server);
        assertEquals(2, plans.tasks().size());
    }

    private void assertOnlyTheLastGoesOn() {
        plans.tasks().get(1).run();
        assertEquals(1, threads.jobs().size());
        threads.jobs().remove().run();
        assertEquals(3, plans.tasks().size(), "goes on");
        cache.stop();
        plans.tasks().get(2).run();
        assertEquals(0, threads.jobs().size(), "stopped");
    }

    @Test
    void aSweepPlansNoOtherAfterTheNextStart() {
        Server server = new Server(threads, plans, null);
        cache.start(server);
        plans.tasks().get(0).run();
        Runnable underWay = threads.jobs().remove();
        restart(server);
        underWay.run();
        assertEquals(2, plans.tasks().size(), "of the start before");
        assertOnlyTheLastGoesOn();
    }

    @Test
    void aSweepThatCouldNotBeCancelledDoesNotBegin() {
        Server server = new Server(threads, plans, null);
        cache.start(server);
        restart(server);
        plans.tasks().get(0).run();
        assertEquals(0, threads.jobs().size(), "of the start before");
        assertOnlyTheLastGoesOn();
    }

    private void sweepWithoutAThread() {
        cache.start(new Server(threads, plans, null));
        threads.setExhausted(true);
        try {
            plans.tasks().get(0).run();
        } catch (OutOfMemoryError x) {
            // As it is, it would end all tests.
            throw new AssertionError("left to the scheduler", x);
        }
        threads.setExhausted(false);
    }

    /** A pool of the JDK's forgets what it gets no thread for. */
    @Test
    void aSweepThatGetsNoThreadIsNotTheLast() {
        sweepWithoutAThread();
        threads.jobs().clear();
        assertEquals(2, plans.tasks().size(), "planned anew");
        assertOnlyTheLastGoesOn();
    }

    @Test
    void aSweepThatThePoolFailsToTakeIsNotTheLast() {
        cache.start(new Server(threads, plans, null));
        threads.setFailing(() -> {
            throw new IllegalStateException("meant to fail");
        });
        plans.tasks().get(0).run();
        threads.setExhausted(false);
        threads.jobs().clear();
        assertEquals(2, plans.tasks().size(), "planned anew");
        assertOnlyTheLastGoesOn();
    }

    private void open(String name) throws Exception {
        TestFiles.write(directory, name, 1000);
        cache.add("/" + name, directory.resolve(name), null, opened -> opened);
    }

    /** Nothing else would ask it again before a restart. */
    @Test
    void aSweepThatTheSchedulerHasNotTakenIsPlannedByTheNextFile() throws Exception {
        cache.start(new Server(threads, plans, null));
        plans.tasks().get(0).run();
        plans.setFailing(true);
        threads.jobs().remove().run();
        plans.setFailing(false);
        assertEquals(1, plans.tasks().size());
        open("first.bin");
        open("second.bin");
        assertEquals(2, plans.tasks().size(), "planned once");
        plans.tasks().get(1).run();
        threads.jobs().remove().run();
        assertEquals(3, plans.tasks().size(), "goes on");
        cache.stop();
    }

    @Test
    void aSweepThatGetsItsThreadLaterIsTheOneThatGoesOn() {
        sweepWithoutAThread();
        threads.jobs().remove().run();
        assertEquals(3, plans.tasks().size());
        plans.tasks().get(1).run();
        assertEquals(0, threads.jobs().size(), "replaced");
        plans.tasks().get(2).run();
        assertEquals(1, threads.jobs().size(), "goes on");
        cache.stop();
    }
}
