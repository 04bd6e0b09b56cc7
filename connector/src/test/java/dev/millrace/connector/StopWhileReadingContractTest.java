package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.jetty.JettyInternals;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A stop ends requests of which more may be read, whether they wait for it, are about to, or do not want it. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class StopWhileReadingContractTest {
    /** A reader that stands still for longer than a stop waits may read beside others. */
    private static final long PATIENT_MILLIS = 30_000;

    private static final String POST = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n";

    @Parameter
    Connectors connectors;

    /** Its connection holds the reader, where it takes a buffer to read content into, until the end point is closed. */
    private static final class HoldingFactory extends HttpConnectionFactory {
        private final CountDownLatch held = new CountDownLatch(1);
        private final List<Thread> others = new CopyOnWriteArrayList<>();
        private volatile Runnable closing = () -> {};
        private volatile Thread reader;
        private volatile boolean holding;

        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            HttpConnection connection = new HttpConnection(getHttpConfiguration(), connector, endPoint) {
                @Override
                public int getInputBufferSize() {
                    onRead(endPoint);
                    return super.getInputBufferSize();
                }

                // Reads, too.
                @Override
                public void close() {
                    // Jetty's selector closes again what it still has a key of: nothing comes then any more.
                    if (endPoint.isOpen()) {
                        closing.run();
                    }
                    onRead(endPoint);
                    super.close();
                }
            };
            return configure(connection, connector, endPoint);
        }

        private void onRead(EndPoint endPoint) {
            if (Thread.currentThread() == reader) {
                hold(endPoint);
            } else if (holding) {
                others.add(Thread.currentThread());
            }
        }

        private void hold(EndPoint endPoint) {
            holding = true;
            held.countDown();
            Await.until("closed", () -> !endPoint.isOpen());
            holding = false;
        }
    }

    @Test
    void contentIsReadByOneThreadAtATime() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty's selector reads too, and the reader may not be told");
        HoldingFactory factory = new HoldingFactory();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Handler handler = Handlers.of((request, response, callback) -> {
            factory.reader = Thread.currentThread();
            try {
                Content.Source.asByteBuffer(request);
            } catch (Throwable x) {
                failure.complete(x);
                throw x;
            }
        });
        try (TestServer server = new TestServer(s -> connectors.on(s, factory)).start(handler);
                RawClient client = server.client()) {
            client.send(POST);
            factory.held.await();
            server.millrace().stopMillis = PATIENT_MILLIS;
            server.server().stop();
            assertInstanceOf(EofException.class, failure.get(30, TimeUnit.SECONDS));
            assertEquals(List.of(), factory.others);
        }
    }

    @Test
    void theThreadOfARequestAloneUsesTheBuffer() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty's selector reads too, and the buffer may be lost");
        HoldingFactory factory = new HoldingFactory();
        Handler handler = Handlers.of((request, response, callback) -> {
            factory.hold(EndPoints.of(request));
            callback.succeeded();
        });
        try (TestServer server = new TestServer(s -> connectors.on(s, factory)).start(handler);
                RawClient client = server.client()) {
            client.get("/");
            factory.held.await();
            server.millrace().stopMillis = PATIENT_MILLIS;
            server.server().stop();
            assertEquals(List.of(), factory.others);
        }
    }

    @Test
    void aRequestThatComesJustThenIsLeftToItsThread() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty's selector reads too, and the buffer may be lost");
        HoldingFactory factory = new HoldingFactory();
        Handler handler = Handlers.of((request, response, callback) -> {
            if (Request.getPathInContext(request).equals("/late")) {
                factory.hold(EndPoints.of(request));
            }
            callback.succeeded();
        });
        try (TestServer server = new TestServer(s -> connectors.on(s, factory)).start(handler);
                RawClient client = server.client()) {
            assertEquals(200, client.get("/").answer().status());
            // Its thread may be on the way out still: then a stop would close the connection of a request.
            Await.until(
                    "the first is over",
                    () -> server.connector().getConnectedEndPoints().stream()
                            .noneMatch(endPoint -> JettyInternals.handlesRequest(endPoint.getConnection())));
            factory.closing = () -> {
                try {
                    client.get("/late");
                    factory.held.await();
                } catch (IOException | InterruptedException x) {
                    throw new IllegalStateException(x);
                }
            };
            server.millrace().stopMillis = PATIENT_MILLIS;
            server.server().stop();
            assertEquals(List.of(), factory.others);
        }
    }

    @Test
    void aRequestThatDoesNotReadIsTold() throws Exception {
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        CountDownLatch handled = new CountDownLatch(1);
        Handler handler = Handlers.of((request, response, callback) -> {
            request.addFailureListener(failure -> {
                told.complete(failure);
                callback.failed(failure);
            });
            handled.countDown();
        });
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            client.send(POST);
            handled.await();
            server.server().stop();
            assertInstanceOf(EofException.class, told.get(30, TimeUnit.SECONDS));
        }
    }
}
