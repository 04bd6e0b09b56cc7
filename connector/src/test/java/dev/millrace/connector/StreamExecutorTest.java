package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.ExhaustiblePool;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.LowResourceMonitor;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.Scheduler;
import org.junit.jupiter.api.Test;

class StreamExecutorTest {
    private final List<Runnable> scheduled = new ArrayList<>();
    private final StreamExecutor executor = new StreamExecutor(Runnable::run, new Kept(), () -> true);
    private final AtomicInteger looks = new AtomicInteger();
    private boolean schedulerFails;

    /** Keeps what it is to do. */
    private final class Kept extends AbstractLifeCycle implements Scheduler {
        @Override
        public Task schedule(Runnable task, long delay, TimeUnit unit) {
            if (schedulerFails) {
                throw new RejectedExecutionException("expected by the test");
            }
            scheduled.add(task);
            return () -> scheduled.remove(task);
        }
    }

    /** A pool of a connector's own, that has no thread left. */
    private static final class Low extends QueuedThreadPool {
        @Override
        public boolean isLowOnThreads() {
            return true;
        }
    }

    private class LookedAt implements StreamExecutor.Turn {
        @Override
        public boolean reads() {
            return false;
        }

        @Override
        public boolean takes(Runnable task) {
            return false;
        }

        @Override
        public boolean collects() {
            return false;
        }

        @Override
        public void endReading() {}

        @Override
        public void aboutToBlock() {}

        @Override
        public void look() {
            looks.incrementAndGet();
        }
    }

    private void runScheduled() {
        List<Runnable> now = List.copyOf(scheduled);
        scheduled.clear();
        now.forEach(Runnable::run);
    }

    @Test
    void looksAsLongAsAPlaceIsTaken() {
        int place = executor.enter(new LookedAt());
        assertEquals(1, scheduled.size());
        runScheduled();
        runScheduled();
        assertEquals(2, looks.get());
        executor.leave(place);
        runScheduled();
        assertTrue(scheduled.isEmpty());
        assertEquals(2, looks.get());
    }

    @Test
    void aSecondPlaceAsksForNoSecondLook() {
        executor.enter(new LookedAt());
        executor.enter(new LookedAt());
        assertEquals(1, scheduled.size());
        runScheduled();
        assertEquals(2, looks.get());
    }

    @Test
    void hasNoPlaceForAnyNumber() {
        int taken = 0;
        while (executor.enter(new LookedAt()) != StreamExecutor.NO_PLACE) {
            taken++;
        }
        assertTrue(taken > 0);
    }

    @Test
    void looksOnWhenALookFails() {
        executor.enter(new LookedAt() {
            @Override
            public void look() {
                super.look();
                throw new IllegalStateException("expected by the test");
            }
        });
        executor.enter(new LookedAt());
        runScheduled();
        assertEquals(2, looks.get());
        assertEquals(1, scheduled.size());
    }

    @Test
    void hasNoPlaceWhenNobodyWouldLook() {
        schedulerFails = true;
        assertEquals(StreamExecutor.NO_PLACE, executor.enter(new LookedAt()));
        schedulerFails = false;
        executor.leave(executor.enter(new LookedAt()));
        runScheduled();
        assertTrue(scheduled.isEmpty());
    }

    @Test
    void looksAgainWhenTheSchedulerHadFailed() {
        executor.enter(new LookedAt());
        schedulerFails = true;
        runScheduled();
        schedulerFails = false;
        executor.enter(new LookedAt());
        runScheduled();
        assertEquals(3, looks.get());
    }

    /** A scheduler that stops drops what it was to do. */
    @Test
    void looksAfterARestart() {
        int place = executor.enter(new LookedAt());
        scheduled.clear();
        executor.leave(place);
        executor.start();
        executor.enter(new LookedAt());
        runScheduled();
        assertEquals(1, looks.get());
    }

    /** The scheduler of a server goes on when a connector is stopped and started. */
    @Test
    void looksNoMoreOftenAfterARestart() {
        executor.enter(new LookedAt());
        executor.start();
        executor.enter(new LookedAt());
        assertEquals(1, scheduled.size());
        runScheduled();
        assertEquals(1, scheduled.size());
    }

    private static Stream<ServerConnector> connectors(Server server) {
        return Stream.of(
                new ServerConnector(server, new Low(), null, null, 1, 1),
                new NioConnector(server, new Low(), null, null, 1, 1),
                new BioConnector(server, new Low(), null, null, 1));
    }

    /** Jetty's monitor knows a pool that a connector has to itself by the type of its executor. */
    @Test
    void saysThatThePoolIsLowOnThreads() throws Exception {
        Server server = new Server();
        List<ServerConnector> connectors = connectors(server).toList();
        for (ServerConnector connector : connectors) {
            connector.setConnectionFactories(List.of(new HTTP2CServerConnectionFactory(new HttpConfiguration())));
            server.addConnector(connector);
        }
        server.start();
        try {
            for (ServerConnector connector : connectors) {
                LowResourceMonitor monitor = new LowResourceMonitor(server);
                monitor.setMonitoredConnectors(List.of(connector));
                assertTrue(monitor.new ConnectorsThreadPoolLowResourceCheck().isLowOnResources(), connector.toString());
            }
        } finally {
            server.stop();
        }
    }

    /** Tells whether it was run first, or closed. */
    private static final class Request implements Runnable, Closeable {
        private final CompletableFuture<String> end = new CompletableFuture<>();

        @Override
        public void run() {
            end.complete("run");
        }

        @Override
        public void close() {
            end.complete("closed");
        }
    }

    /** Jetty's pool has queued a task when it fails to start a thread for it. */
    @Test
    void whatThePoolHasNoThreadForIsRunByThoseThatItHas() throws Exception {
        ExhaustiblePool pool = new ExhaustiblePool();
        pool.setMinThreads(1);
        pool.start();
        CompletableFuture<Void> release = new CompletableFuture<>();
        StreamExecutor streams = new StreamExecutor(pool, new Kept(), () -> true);
        Request request = new Request();
        Request runner = new Request();
        try {
            pool.execute(release::join);
            pool.setExhausted(true);
            streams.toPoolOrClose(request);
            streams.toPool(runner);
            assertEquals(2, pool.failures());
            release.complete(null);
            assertEquals("run", request.end.get(30, TimeUnit.SECONDS));
            assertEquals("run", runner.end.get(30, TimeUnit.SECONDS));
        } finally {
            release.complete(null);
            pool.stop();
        }
    }

    @Test
    void ofAPoolThatDoesNotTellIsNotLowOnThreads() {
        assertFalse(executor.isLowOnThreads());
        assertEquals(0, executor.getThreads());
        assertEquals(0, executor.getIdleThreads());
    }
}
