package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** When the JVM has no memory outside the heap left. */
@Timeout(60)
class NoDirectMemoryTest {
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final int FILE_BYTES = 10_000;
    private static final String NONE = "Cannot reserve bytes of direct buffer memory";

    /** Fails as an allocation does in the thread that selects. */
    private static final class Failing extends Selector {
        private final Selector selector;

        private Failing(Selector selector) {
            this.selector = selector;
        }

        @Override
        public int select(Consumer<SelectionKey> action, long timeout) {
            throw new OutOfMemoryError(NONE);
        }

        @Override
        public boolean isOpen() {
            return selector.isOpen();
        }

        @Override
        public SelectorProvider provider() {
            return selector.provider();
        }

        @Override
        public Set<SelectionKey> keys() {
            return selector.keys();
        }

        @Override
        public Set<SelectionKey> selectedKeys() {
            return selector.selectedKeys();
        }

        @Override
        public int selectNow() throws IOException {
            return selector.selectNow();
        }

        @Override
        public int select(long timeout) throws IOException {
            return selector.select(timeout);
        }

        @Override
        public int select() throws IOException {
            return selector.select();
        }

        @Override
        public Selector wakeup() {
            return selector.wakeup();
        }

        @Override
        public void close() throws IOException {
            selector.close();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void connectionsThatCannotLingerAreCountedAndToldOnce(Connectors connectors) throws Exception {
        TestServer server = new TestServer(connectors::http).expectMalformedRequests();
        server.connector().getBean(LingeringClose.class).setSources(() -> new Failing(Selector.open()), Thread::new);
        try (server;
                Logged logged = new Logged(LingeringClose.class.getName())) {
            server.start(Handlers.hello());
            for (int i = 1; i <= 3; i++) {
                int expected = i;
                try (RawClient client = server.client()) {
                    client.send(LingeringConnections.upload(1000));
                    client.readToEnd();
                    Await.until(
                            expected + " are counted",
                            () -> server.millrace().getCutLingeringConnections() == expected,
                            () -> "but " + server.millrace().getCutLingeringConnections());
                }
                server.awaitNoEndPoints();
            }
            assertEquals(1, logged.count("WARN"));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#all")
    void aFileIsRefusedByAPage(Connectors connectors, @TempDir Path directory) throws Exception {
        Files.write(directory.resolve("file"), new byte[FILE_BYTES]);
        ArrayByteBufferPool pool = new ArrayByteBufferPool() {
            @Override
            public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
                // The page, and its head, are smaller.
                if (direct && size >= FILE_BYTES && size < 20_000) {
                    throw new OutOfMemoryError(NONE);
                }
                return super.acquire(size, direct);
            }
        };
        Server server = new Server(new QueuedThreadPool(), null, pool);
        ServerConnector connector = connectors.http(server);
        server.addConnector(connector);
        SendfileHandler files = Handlers.files(directory);
        server.setHandler(files);
        try (Logged logged = new Logged(Response.class.getName())) {
            server.start();
            try (RawClient client = new RawClient(connector.getLocalPort())) {
                RawClient.Answer answer = client.get("/file").answer();
                assertEquals(500, answer.status());
                assertTrue(answer.text().contains(NONE), answer.text());
                assertEquals(1, logged.count("WARN"));
            }
        } finally {
            server.stop();
        }
    }

    /** Thrown to the session, it would end all requests of the connection. */
    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void answersOfHttp2AreWrittenAtOnce(Connectors connectors) throws Exception {
        AtomicInteger refused = new AtomicInteger();
        ArrayByteBufferPool pool = new ArrayByteBufferPool() {
            @Override
            public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
                if (Stream.of(Thread.currentThread().getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(HeldWrites.class.getName()))) {
                    refused.incrementAndGet();
                    throw new OutOfMemoryError(NONE);
                }
                return super.acquire(size, direct);
            }
        };
        Server server = new Server(new QueuedThreadPool(), null, pool);
        ServerConnector connector = connectors.http2(server);
        server.addConnector(connector);
        server.setHandler(Handlers.hello());
        try {
            server.start();
            try (RawClient client = new RawClient(connector.getLocalPort())) {
                Http2Frames http2 = new Http2Frames(client).openWindows();
                // With one processor nothing is held. On more, it is held sooner or later.
                for (int i = 0; i < 100 || (refused.get() == 0 && PROCESSORS > 1); i++) {
                    http2.getTogether("/", "/", "/", "/");
                    assertEquals(
                            4,
                            http2.contents(4).values().stream()
                                    .filter(content -> "hello".equals(new String(content, StandardCharsets.US_ASCII)))
                                    .count());
                }
            }
        } finally {
            server.stop();
        }
    }

    /** Jetty takes it for a fault of the peer's, and says nothing. */
    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void connectionsThatAreClosedAreToldOnceAMinute(Connectors connectors) throws Exception {
        ArrayByteBufferPool pool = new ArrayByteBufferPool() {
            @Override
            public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
                throw new OutOfMemoryError(NONE);
            }
        };
        Server server = new Server(new QueuedThreadPool(), null, pool);
        ServerConnector connector = connectors.http(server);
        server.addConnector(connector);
        server.setHandler(Handlers.hello());
        try (Logged logged = new Logged(AbstractConnector.class.getName())) {
            server.start();
            for (int i = 0; i < 5; i++) {
                try (RawClient client = new RawClient(connector.getLocalPort())) {
                    client.get("/").readToEnd();
                }
            }
            Await.until("told", () -> logged.count("WARN") > 0);
            assertEquals(1, logged.count("WARN"));
            assertEquals(1, logged.count(NONE));
        } finally {
            server.stop();
        }
    }
}
