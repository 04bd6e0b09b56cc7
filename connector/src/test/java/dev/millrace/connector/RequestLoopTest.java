package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.ProcessorUtils;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread goes on with the requests of a connection that are there as soon as the one before is answered. */
@Timeout(60)
class RequestLoopTest {
    private static final int REQUESTS = 20;

    private final Semaphore begun = new Semaphore(0);
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private boolean interrupts;

    /** Answers when the next request has come to the socket, but for the last. */
    private Handler busy(Invocable.InvocationType type) {
        return Handlers.of(type, (request, response, callback) -> {
            threads.add(Thread.currentThread());
            begun.release();
            EndPoint endPoint = EndPoints.of(request);
            SocketChannel channel =
                    (SocketChannel) (endPoint instanceof EndPoint.Wrapper tls ? tls.unwrap() : endPoint).getTransport();
            if (!request.getHttpURI().getPath().equals("/last")) {
                Await.until("the next request", () -> EndPoints.available(channel) > 0);
            }
            response.write(
                    true, StandardCharsets.UTF_8.encode(request.getHttpURI().getPath()), callback);
            if (interrupts) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static TestServer server(int requestsPerDispatch, String dispatch) {
        return new TestServer(jetty -> connector(jetty, requestsPerDispatch, dispatch, new HttpConnectionFactory()));
    }

    private static NioConnector connector(
            Server jetty, int requestsPerDispatch, String dispatch, ConnectionFactory... factories) {
        NioConnector connector = new NioConnector(jetty, factories);
        connector.setRequestsPerDispatch(requestsPerDispatch);
        connector.setDispatch(dispatch);
        return connector;
    }

    /** Sends each request while the one before is handled. */
    private void exchange(RawClient client) throws Exception {
        client.get("/0");
        for (int i = 1; i <= REQUESTS; i++) {
            begun.acquire();
            if (i < REQUESTS) {
                client.get(i == REQUESTS - 1 ? "/last" : "/" + i);
            }
            assertEquals(
                    i == REQUESTS ? "/last" : "/" + (i - 1), client.answer().text());
        }
    }

    private static long requestsInRow(TestServer server) {
        return ((NioConnector) server.connector()).getSelectorStatistics().getRequestsInRow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "handoff"})
    void answersWhatFollowsAtOnceUpToALimit(String dispatch) throws Exception {
        try (TestServer server = server(5, dispatch).start(busy(Invocable.InvocationType.BLOCKING));
                RawClient client = server.client()) {
            exchange(client);
            assertEquals(REQUESTS * 4 / 5, requestsInRow(server));
            for (int turn = 0; turn < REQUESTS; turn += 5) {
                assertEquals(
                        1, threads.subList(turn, turn + 5).stream().distinct().count());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void answersWhatFollowsAtOnceInsideTls(String protocol) throws Exception {
        Tls tls = new Tls();
        SslContextFactory.Server ssl = tls.server();
        ssl.setIncludeProtocols(protocol);
        TestServer secure = new TestServer(jetty -> connector(
                jetty, 5, "adaptive", new TlsConnectionFactory(ssl, "http/1.1"), new HttpConnectionFactory()));
        try (TestServer server = secure.start(busy(Invocable.InvocationType.BLOCKING));
                RawClient client = tls.connect(server.port())) {
            exchange(client);
            // After the handshake the thread may look in vain, and then not the next time.
            assertTrue(requestsInRow(server) >= REQUESTS / 2, () -> requestsInRow(server) + " in a row");
        }
    }

    @Test
    void onlyAPoolOfPlatformThreadsCanSpareSome() throws Exception {
        ExecutorService executor = Executors.newCachedThreadPool();
        try (TestServer server = new TestServer(jetty ->
                                new NioConnector(jetty, executor, null, null, 1, 1, new HttpConnectionFactory()))
                        .start(busy(Invocable.InvocationType.BLOCKING));
                RawClient client = server.client()) {
            exchange(client);
            assertEquals(0, requestsInRow(server));
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void aPoolOfVirtualThreadsIsLeftAlone() throws Exception {
        assumeTrue(VirtualThreads.areSupported());
        TestServer virtual = server(64, "adaptive");
        ((QueuedThreadPool) virtual.server().getThreadPool())
                .setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("v"));
        try (TestServer server = virtual.start(busy(Invocable.InvocationType.BLOCKING));
                RawClient client = server.client()) {
            exchange(client);
            assertEquals(0, requestsInRow(server));
        }
    }

    @Test
    void anInterruptEndsNoConnection() throws Exception {
        interrupts = true;
        try (TestServer server = server(64, "adaptive").start(busy(Invocable.InvocationType.BLOCKING));
                RawClient client = server.client()) {
            exchange(client);
            assertEquals(REQUESTS - 1, requestsInRow(server));
        }
    }

    @Test
    void oneRequestPerDispatchIsAsJetty() throws Exception {
        try (TestServer server = server(1, "adaptive").start(busy(Invocable.InvocationType.BLOCKING));
                RawClient client = server.client()) {
            exchange(client);
            assertEquals(0, requestsInRow(server));
        }
    }

    @Test
    void withOneProcessorTheSelectorWaitsForEachRequest() throws Exception {
        int processors = ProcessorUtils.availableProcessors();
        try (TestServer server = server(64, "adaptive").start(busy(Invocable.InvocationType.BLOCKING));
                RawClient client = server.client()) {
            ProcessorUtils.setAvailableProcessors(1);
            exchange(client);
            assertEquals(0, requestsInRow(server));
        } finally {
            ProcessorUtils.setAvailableProcessors(processors);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "selector"})
    void aSelectorsThreadHasOthersToServe(String dispatch) throws Exception {
        try (TestServer server = server(64, dispatch).start(busy(Invocable.InvocationType.NON_BLOCKING));
                RawClient client = server.client()) {
            exchange(client);
            assertEquals(0, requestsInRow(server));
        }
    }

    @Test
    void aPoolWithoutThreadsToSpareServesOthersFirst() throws Exception {
        TestServer low = server(64, "adaptive");
        ((QueuedThreadPool) low.server().getThreadPool()).setLowThreadsThreshold(Integer.MAX_VALUE / 2);
        try (TestServer server = low.start(busy(Invocable.InvocationType.BLOCKING));
                RawClient client = server.client()) {
            exchange(client);
            assertEquals(0, requestsInRow(server));
        }
    }

    // Jetty answers what is malformed on another thread, while this one asks for more: looking then would close the
    // connection.
    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "handoff"})
    @Timeout(180)
    void answersWhatIsMalformedBehindOthers(String dispatch) throws Exception {
        try (TestServer server = server(64, dispatch)
                .expectMalformedRequests()
                .start(Handlers.declining(Invocable.InvocationType.BLOCKING))) {
            for (int i = 0; i < 500; i++) {
                try (RawClient client = server.client()
                        .send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\nbad\r\n\r\n")) {
                    assertEquals(404, client.answer().status());
                    assertEquals(404, client.answer().status());
                    assertEquals(400, client.answer().status());
                    // Jetty ends the connection on one thread and looks at a peer that leaves on another: they may lose
                    // a buffer.
                    int closed = i + 1;
                    Await.until("closed", () -> server.events().closed() == closed);
                }
            }
        }
    }

    /** The thread may be a selector's, whose stop would take the interrupt for its own end. */
    @Test
    void leavesNoInterruptBehindATaskThatThrows() {
        AbstractEndPoint endPoint = new ByteArrayEndPoint();
        Runnable task = () -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the application's");
        };
        List<Runnable> tasks = List.of(
                new RequestLoop(endPoint, task), new ContinuedTask(endPoint, task, Invocable.InvocationType.BLOCKING));
        for (Runnable run : tasks) {
            assertThrows(IllegalStateException.class, run::run);
            assertFalse(Thread.interrupted());
        }
    }

    @Test
    void refusesLessThanOne() {
        assertThrows(IllegalArgumentException.class, () -> new NioConnector(new Server()).setRequestsPerDispatch(0));
    }
}
