package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.cache.OpenFile;
import dev.millrace.testing.Await;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.TestFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How long a deleted or replaced file may be kept that nobody asks for, counted in what the cache has the scheduler wait: a
 * machine that stands still meanwhile changes nothing of that.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class SweptFilesTest {
    /** Between the look-up of a content and its write. */
    private static final long GRACE_MILLIS = 100;

    @TempDir
    Path directory;

    private final Delays delays = new Delays();
    private final SendfileHandler files = new SendfileHandler();

    /** Notes how long each task is to wait. */
    private static final class Delays extends AbstractLifeCycle implements Scheduler {
        private final Scheduler scheduler = new ScheduledExecutorScheduler("test", true);
        private final List<Long> millis = new ArrayList<>();

        @Override
        protected void doStart() throws Exception {
            scheduler.start();
        }

        @Override
        protected void doStop() throws Exception {
            scheduler.stop();
        }

        @Override
        public synchronized Task schedule(Runnable task, long delay, TimeUnit units) {
            millis.add(units.toMillis(delay));
            return scheduler.schedule(task, delay, units);
        }

        /** Forgets what was noted before a change, in the middle of which nothing is scheduled. */
        synchronized void from(Change change) throws Exception {
            millis.clear();
            change.make();
        }

        /** What the sweeper waited for, one wait after the other, until it had found all that were let go of. */
        synchronized long sumOfSweeps() {
            return millis.subList(0, millis.lastIndexOf(GRACE_MILLIS)).stream()
                    .mapToLong(Long::longValue)
                    .filter(delay -> delay != GRACE_MILLIS)
                    .sum();
        }

        @Override
        public synchronized String toString() {
            return millis.toString();
        }

        synchronized long longest() {
            return millis.stream().mapToLong(Long::longValue).max().orElseThrow();
        }

        synchronized long graces() {
            return millis.stream().filter(delay -> delay == GRACE_MILLIS).count();
        }
    }

    private interface Change {
        void make() throws Exception;
    }

    private Server server(long validMillis) throws Exception {
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setValidMillis(validMillis);
        Server server = new Server(null, delays, null);
        server.setHandler(files);
        server.start();
        return server;
    }

    private void open(String name) throws Exception {
        TestFiles.write(directory, name, 100_000);
        OpenFile file = ((SendfileContent) files.getSendfileContentFactory().getContent("/" + name)).file();
        // Mapped, as when it was sent.
        file.token(0, 100_000);
    }

    private void assertHeld(long count) {
        assertHeld(count, () -> true);
    }

    private void assertHeld(long count, BooleanSupplier meanwhile) {
        Await.until(
                count + " held",
                () -> meanwhile.getAsBoolean()
                        && Leaks.descriptors(directory) == count
                        && Leaks.mappings(directory) == count,
                () -> Leaks.descriptors(directory) + " descriptors, " + Leaks.mappings(directory) + " mappings");
    }

    private boolean isAskedFor(String name) {
        try {
            return files.getSendfileContentFactory().getContent("/" + name) != null;
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 50, 200, 1000})
    void areGivenBackInTime(long validMillis) throws Exception {
        Server server = server(validMillis);
        try {
            for (String name : new String[] {"kept.bin", "deleted.bin", "replaced.bin"}) {
                open(name);
            }
            assertHeld(3);
            TestFiles.write(directory, "other.bin", 100_000);
            delays.from(() -> {
                Files.delete(directory.resolve("deleted.bin"));
                Files.move(
                        directory.resolve("other.bin"),
                        directory.resolve("replaced.bin"),
                        StandardCopyOption.ATOMIC_MOVE);
            });
            // A file that nobody asks for goes after six seconds, which the third one is not to.
            assertHeld(1, () -> isAskedFor("kept.bin"));
            long sweepMillis = Math.max(50, validMillis / 4);
            // In all no more than it is valid, as one wait had begun before; or, below 50 ms, than two waits.
            assertTrue(delays.sumOfSweeps() <= Math.max(validMillis, 2 * sweepMillis) - sweepMillis, delays::toString);
            assertEquals(2, delays.graces(), delays::toString);
            assertEquals(1, files.getSendfileContentFactory().getOpenFiles());
        } finally {
            server.stop();
        }
        assertHeld(0);
    }

    @Test
    void areFoundSoonWhenTheValidityHasBecomeShorter() throws Exception {
        Server server = server(TimeUnit.DAYS.toMillis(1));
        try {
            assertTrue(delays.longest() <= TimeUnit.MINUTES.toMillis(1), delays::toString);
        } finally {
            server.stop();
        }
    }
}
