package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A connector that is stopped ends its connections, and tells those who count them, before it forgets who they are. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class StopOfConnectorContractTest {
    private static final int CLIENTS = 2;
    private static final int STOPS = 80;
    private static final long LONG_STOP_MILLIS = 30_000;
    private static final int THREADS = 8;
    /** More than the sockets of both sides take. */
    private static final int UNREAD_BYTES = 32 << 20;

    @Parameter
    Connectors connectors;

    private final Channels channels = new Channels();
    private final List<RawClient> clients = new ArrayList<>();

    private static final class Channels implements SelectorManager.AcceptListener {
        private final List<SelectableChannel> accepting = new CopyOnWriteArrayList<>();
        private final List<SelectableChannel> accepted = new CopyOnWriteArrayList<>();
        private final List<SelectableChannel> closed = new CopyOnWriteArrayList<>();

        @Override
        public void onAccepting(SelectableChannel channel) {
            accepting.add(channel);
        }

        @Override
        public void onAccepted(SelectableChannel channel) {
            accepted.add(channel);
        }

        @Override
        public void onClosed(SelectableChannel channel) {
            closed.add(channel);
        }
    }

    /** Stops after the selector manager, and no sooner than that has told: Jetty's tells by a thread of the pool, and waits for none. */
    private final class WaitingFactory extends HttpConnectionFactory {
        @Override
        protected void doStop() throws Exception {
            super.doStop();
            Await.until("told that all are closed", () -> channels.closed.size() == channels.accepted.size());
        }
    }

    /** Makes no connection before it is allowed to. */
    private static final class HoldingFactory extends HttpConnectionFactory {
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch allowed = new CountDownLatch(1);

        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            asked.countDown();
            StopOfConnectorContractTest.await(allowed);
            return super.newConnection(connector, endPoint);
        }
    }

    /** Its connections leave their end to others. */
    private static final class LazyFactory extends HttpConnectionFactory {
        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            return configure(
                    new HttpConnection(getHttpConfiguration(), connector, endPoint) {
                        @Override
                        public void close() {}
                    },
                    connector,
                    endPoint);
        }
    }

    private TestServer server() {
        TestServer server = new TestServer(s -> connectors.on(s, new WaitingFactory()));
        server.connector().addBean(channels);
        return server;
    }

    private void answerAll(TestServer server) throws Exception {
        for (int i = 0; i < CLIENTS; i++) {
            RawClient client = server.client();
            clients.add(client);
            assertEquals("hello", client.get("/").answer().text());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitEnd(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    // One that has not ended yet goes on when its connector runs again; the interrupt meant for it may then close the
    // new channel.
    private static void awaitEndOfAcceptors() throws Exception {
        Await.until(
                "acceptors have ended",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().contains("-acceptor-")));
    }

    @AfterEach
    void closeClients() throws Exception {
        for (RawClient client : clients) {
            client.close();
        }
    }

    @Test
    void tellsThatItsConnectionsAreClosed() throws Exception {
        TestServer server = server();
        NetworkConnectionLimit limit = new NetworkConnectionLimit(CLIENTS + 1, server.server());
        server.server().addBean(limit);
        try (server) {
            server.start(Handlers.hello());
            for (int starts = 1; starts <= 3; starts++) {
                answerAll(server);
                // A selector may tell of them after their answers.
                Await.until("accepted", () -> limit.getNetworkConnectionCount() == CLIENTS);
                assertEquals(starts * CLIENTS, channels.accepted.size());
                server.connector().stop();
                assertEquals(starts * CLIENTS, channels.closed.size());
                Await.until("none counted", () -> limit.getNetworkConnectionCount() == 0);
                assertEquals(0, limit.getPendingNetworkConnectionCount());
                if (connectors == Connectors.STOCK) {
                    awaitEndOfAcceptors();
                }
                server.connector().start();
            }
            answerAll(server);
            assertTrue(server.connector().isAccepting());
        }
    }

    @Test
    void tellsOfAConnectionThatIsMadeMeanwhile() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty's selectors lose what is accepted while they stop");
        HoldingFactory factory = new HoldingFactory();
        TestServer server = new TestServer(s -> connectors.on(s, factory));
        // A busy machine may hold up the thread that opens for longer than a stop waits.
        server.millrace().stopMillis = LONG_STOP_MILLIS;
        server.connector().addBean(channels);
        try (server;
                RawClient client = server.start(Handlers.hello()).client()) {
            assertTrue(factory.asked.await(30, TimeUnit.SECONDS));
            Thread stopping = new Thread(() -> LifeCycle.stop(server.connector()));
            stopping.start();
            Await.until("the stop waits, or is over", () -> !stopping.isAlive() || isWaiting(stopping));
            factory.allowed.countDown();
            stopping.join();
            assertFalse(server.connector().isFailed());
            assertEquals(-1, client.read());
            assertEquals(channels.accepting, channels.accepted);
            assertEquals(channels.accepting, channels.closed);
        }
    }

    @Test
    void tellsOfAConnectionThatNoThreadHasTakenOn() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty's selectors tell nobody of it");
        TestServer server = server();
        NetworkConnectionLimit limit = new NetworkConnectionLimit(CLIENTS + 1, server.server());
        server.server().addBean(limit);
        QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
        pool.setReservedThreads(0);
        pool.setMinThreads(THREADS);
        pool.setMaxThreads(THREADS);
        CountDownLatch released = new CountDownLatch(1);
        try (server) {
            server.start(Handlers.hello());
            for (int i = 0; i < THREADS; i++) {
                pool.execute(() -> await(released));
            }
            Await.until("no thread is left", () -> pool.getIdleThreads() == 0 && pool.getQueueSize() > 0);
            try (RawClient client = server.client()) {
                Await.until(
                        "accepted",
                        () -> limit.getPendingNetworkConnectionCount() + limit.getNetworkConnectionCount() == 1);
                server.connector().stop();
                assertEquals(-1, client.read());
                assertEquals(0, limit.getPendingNetworkConnectionCount());
                Await.until("none counted", () -> limit.getNetworkConnectionCount() == 0);
            } finally {
                released.countDown();
            }
            server.connector().start();
            answerAll(server);
        }
    }

    /** Listeners are forgotten at the end of a stop. A thread that is about to tell them has its time before. */
    @Test
    void tellsBeforeItForgetsWhomToTell() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty's connector waits for no such thread");
        TestServer server = new TestServer(connectors::http);
        Thread stopping = new Thread(() -> LifeCycle.stop(server.connector()));
        // A busy machine may hold up the thread that tells for longer than a stop waits.
        server.millrace().stopMillis = LONG_STOP_MILLIS;
        server.connector().addBean(channels);
        server.connector().addBean(new Connection.Listener() {
            @Override
            public void onClosed(Connection connection) {
                Await.until("the stop waits, or is over", () -> !stopping.isAlive() || isWaiting(stopping));
            }
        });
        try (server;
                RawClient client = server.start(Handlers.hello()).client()) {
            assertEquals("hello", client.get("/").answer().text());
            Await.until("accepted", () -> channels.accepted.size() == 1);
            stopping.start();
            stopping.join();
            assertEquals(channels.accepted, channels.closed);
        }
    }

    /** The thread that stops the server may have much more to stop, and nobody interrupts it. */
    @Test
    void doesNotWaitForeverForListenersThatDo() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        TestServer server = new TestServer(connectors::http);
        server.connector().addBean(new Connection.Listener() {
            @Override
            public void onClosed(Connection connection) {
                awaitEnd(released);
            }
        });
        try (server) {
            server.start(Handlers.hello());
            answerAll(server);
            Thread stopping = new Thread(() -> LifeCycle.stop(server.connector()));
            stopping.start();
            try {
                Await.until("the stop is over", () -> !stopping.isAlive());
            } finally {
                released.countDown();
            }
            stopping.join();
        }
    }

    private static boolean isWaiting(Thread stopping) {
        return Arrays.stream(stopping.getStackTrace())
                .map(StackTraceElement::getMethodName)
                .anyMatch(Set.of("endAll", "awaitNoneBut")::contains);
    }

    /** Each of the stops could wait a second. On a busy machine some take as long without that. */
    @Test
    @Timeout(180)
    void doesNotWaitForConnectionsThatOnlyWaitForTheirPeers() throws Exception {
        int quick = 0;
        try (TestServer server = new TestServer(s -> connectors.on(s, new LazyFactory())).start(Handlers.hello())) {
            for (int i = 0; i < STOPS; i++) {
                try (RawClient client = server.client()) {
                    assertEquals("hello", client.get("/").answer().text());
                    quick += restart(server) ? 1 : 0;
                    assertEquals(-1, client.read());
                }
            }
        }
        assertMostAreQuick(quick);
    }

    private static void assertMostAreQuick(int quick) {
        assertTrue(quick >= STOPS / 4, quick + " of " + STOPS + " stops did not wait");
    }

    @Test
    @Timeout(180)
    void doesNotWaitForStreamsThatNobodyWritesTo() throws Exception {
        int quick = 0;
        BlockingQueue<Callback> callbacks = new LinkedBlockingQueue<>();
        Handler later = Handlers.of((request, response, callback) -> callbacks.add(callback));
        try (TestServer server = new TestServer(connectors::http2).start(later)) {
            for (int i = 0; i < STOPS; i++) {
                try (RawClient client = server.client()) {
                    Http2Frames frames = new Http2Frames(client).openWindows().get("/");
                    Callback callback = callbacks.poll(30, TimeUnit.SECONDS);
                    assertNotNull(callback);
                    quick += restart(server) ? 1 : 0;
                    assertEquals(1, frames.awaitGoAway());
                    callback.succeeded();
                }
            }
        }
        assertMostAreQuick(quick);
    }

    /** What an application's protocol throws when it hears of an end does not keep the others from theirs. */
    @Test
    void endsTheOthersWhenSomeThrow() throws Exception {
        PassiveProtocol protocol = new PassiveProtocol();
        ByteBuffer unread = ByteBuffer.allocate(UNREAD_BYTES);
        try (TestServer server = new TestServer(s -> connectors.on(s, protocol)).start(Handlers.hello())) {
            for (int i = 0; i <= CLIENTS; i++) {
                clients.add(server.client());
                AbstractEndPoint endPoint =
                        (AbstractEndPoint) protocol.awaitOpened().getEndPoint();
                endPoint.fillInterested(Callback.from(() -> {}, x -> {
                    throw new IllegalStateException("told of the end", x);
                }));
                endPoint.write(Callback.NOOP, unread.duplicate());
                Await.until("waits for its peer", () -> EndPoints.isWritePending(endPoint));
            }
            server.connector().stop();
            server.awaitNoEndPoints();
        }
    }

    /** @return whether the stop took less than it may wait once */
    private boolean restart(TestServer server) throws Exception {
        long begin = NanoTime.now();
        server.connector().stop();
        boolean quick = NanoTime.millisSince(begin) < OrderlyEnd.MOST_MILLIS;
        if (connectors == Connectors.STOCK) {
            awaitEndOfAcceptors();
        }
        server.connector().start();
        return quick;
    }
}
