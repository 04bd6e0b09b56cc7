package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Content of a request that fails by its idle timeout is left to the threads of the application. The thread of Jetty's timer discards it,
 * whoever else reads or discards it at that moment. Then a buffer is given back twice, or never (Jetty 12.1.12).
 */
@Timeout(60)
class ExpiredContentTest {
    private static final String OURS = "dev.millrace.testing.Connectors#ours";

    private final Set<Thread> readers = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Callback> handled = new CompletableFuture<>();
    private final CountDownLatch failed = new CountDownLatch(1);
    private volatile MillraceEndPoint socket;

    /** Notes the threads that read content. */
    private final class Watching extends HttpConnectionFactory {
        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            HttpConnection connection = new HttpConnection(getHttpConfiguration(), connector, endPoint) {
                @Override
                protected HttpStreamOverHTTP1 newHttpStream(String method, String uri, HttpVersion version) {
                    return new HttpStreamOverHTTP1(method, uri, version) {
                        @Override
                        public Content.Chunk read() {
                            readers.add(Thread.currentThread());
                            return super.read();
                        }
                    };
                }
            };
            return configure(connection, connector, endPoint);
        }
    }

    /** Leaves the request to be completed later. */
    private Handler later() {
        return Handlers.of((request, response, callback) -> {
            socket = (MillraceEndPoint) MillraceEndPoint.socket(EndPoints.of(request));
            request.addFailureListener(failure -> failed.countDown());
            handled.complete(callback);
        });
    }

    private void expire() {
        TimeoutException timeout = new TimeoutException("expired by a test");
        if (socket instanceof BioEndPoint bio) {
            bio.onIdleExpired(timeout);
        } else {
            ((NioEndPoint) socket).onIdleExpired(timeout);
        }
    }

    private void assertIsReadByTheThreadThatCompletes(RawClient client) throws Exception {
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345");
        Callback callback = handled.get(30, TimeUnit.SECONDS);
        Await.until("the handler has returned", () -> socket.handlingThread() == null);
        expire();
        // More than once: each leaves it.
        expire();
        assertTrue(failed.await(30, TimeUnit.SECONDS));
        Thread completing = new Thread(() -> callback.failed(new TimeoutException()));
        completing.start();
        completing.join();
        assertEquals(500, client.answer().status());
        assertEquals(Set.of(completing), readers);
    }

    @ParameterizedTest
    @MethodSource(OURS)
    void isReadByTheThreadThatCompletes(Connectors connectors) throws Exception {
        TestServer server = new TestServer(s -> connectors.on(s, new Watching()));
        try (server;
                RawClient client = server.start(later()).client()) {
            assertIsReadByTheThreadThatCompletes(client);
        }
    }

    @ParameterizedTest
    @MethodSource(OURS)
    void isReadByTheThreadThatCompletesOverTls(Connectors connectors) throws Exception {
        Tls tls = new Tls();
        TestServer server =
                new TestServer(s -> connectors.on(s, connectors.tls(tls.server(), "http/1.1"), new Watching()));
        try (server;
                RawClient client = tls.connect(server.start(later()).port())) {
            assertIsReadByTheThreadThatCompletes(client);
        }
    }
}
