package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.util.thread.Invocable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A handshake computes for milliseconds, and a selector's thread has other connections to serve meanwhile. */
@Timeout(60)
class HandshakeThreadTest {
    /** With it, Jetty's strategy may run all of a connection's tasks in the selector's thread. */
    private final Handler doesNotBlock = Handlers.of(
            Invocable.InvocationType.NON_BLOCKING,
            (request, response, callback) -> Content.Sink.write(response, true, "fine", callback));

    /** The second handshake lasts until it is released. */
    private static final class SecondIsLong implements SslHandshakeListener {
        private final AtomicInteger handshakes = new AtomicInteger();
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch release = new CountDownLatch(1);

        @Override
        public void handshakeSucceeded(Event event) {
            if (handshakes.incrementAndGet() == 2) {
                begun.countDown();
                awaitRelease();
            }
        }

        private void awaitRelease() {
            try {
                release.await();
            } catch (InterruptedException x) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "selector", "handoff"})
    void isNotTheSelectors(String dispatch) throws Exception {
        Tls tls = new Tls();
        SecondIsLong listener = new SecondIsLong();
        TestServer server = new TestServer(s -> {
            NioConnector connector = new NioConnector(
                    s,
                    null,
                    new SelectorDispatchTest.ShortLooks(),
                    null,
                    1,
                    1,
                    new TlsConnectionFactory(tls.server(), "http/1.1"),
                    new HttpConnectionFactory());
            connector.setDispatch(dispatch);
            connector.addBean(listener);
            return connector;
        });
        try (TestServer started = server.start(doesNotBlock);
                AutoCloseable end = listener.release::countDown;
                RawClient other = tls.connect(started.port())) {
            // A client of TLS 1.3 is done when it has sent its last word, which the server may have yet to read.
            Await.until("the first handshake", () -> listener.handshakes.get() == 1);
            try (RawClient slow = tls.connect(started.port())) {
                assertTrue(listener.begun.await(30, TimeUnit.SECONDS), "the second handshake");
                assertEquals("fine", other.get("/").answer().text());
                listener.release.countDown();
                assertEquals("fine", slow.get("/").answer().text());
            }
        }
    }
}
