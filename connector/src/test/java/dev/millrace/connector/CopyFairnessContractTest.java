package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingNestedCallback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An application copies content without end, a piece after the other, to a peer that takes each at once. The other connections of that
 * selector are served meanwhile. For files: {@link TlsFairnessContractTest} and {@code TransferContractTest}.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(120)
class CopyFairnessContractTest {
    private static final byte[] PIECE = new byte[64 * 1024];
    /** More than sockets hold: what comes then was written while the peer read. */
    private static final long MANY_BYTES = 16_000_000;

    private static final int ROUNDS = 20;
    private static final String SMALL = "small";

    @Parameter
    Connectors connectors;

    private final Tls tls = new Tls();
    private final AtomicLong received = new AtomicLong();
    private volatile boolean isRead;
    private volatile boolean ended;

    enum Protocol {
        CLEAR,
        TLS,
        HTTP2
    }

    /** Once the peer reads, each piece is written when the peer has all of those before: no socket is full then. */
    private final class Copy extends IteratingNestedCallback {
        private final InvocationType type;
        private final Response response;
        private long written;

        Copy(InvocationType type, Response response, Callback callback) {
            super(callback);
            this.type = type;
            this.response = response;
        }

        @Override
        protected Action process() {
            if (isRead) {
                Await.until("the peer has taken all", () -> ended || received.get() >= written);
            }
            if (ended) {
                return Action.SUCCEEDED;
            }
            written += PIECE.length;
            response.write(false, ByteBuffer.wrap(PIECE), this);
            return Action.SCHEDULED;
        }

        @Override
        public InvocationType getInvocationType() {
            return type;
        }
    }

    /** Takes what comes. */
    private final class Reader implements AutoCloseable {
        private final RawClient client;
        private final Thread thread = new Thread(this::readToEnd);

        Reader(RawClient client) {
            this.client = client;
        }

        private void readToEnd() {
            byte[] block = new byte[1024 * 1024];
            try {
                InputStream in = client.in();
                for (int n = in.read(block); n >= 0; n = in.read(block)) {
                    received.addAndGet(n);
                }
            } catch (IOException closed) {
                // The test is over, or sees that no more comes.
            }
        }

        @Override
        public void close() throws Exception {
            // A copy that waits for this peer ends first: its thread may be the selector's.
            ended = true;
            client.close();
            thread.join();
        }
    }

    static Stream<Arguments> copies() {
        return Stream.of(Protocol.values())
                .flatMap(protocol -> Stream.of(InvocationType.BLOCKING, InvocationType.NON_BLOCKING)
                        .map(type -> Arguments.of(protocol, type)));
    }

    private Handler handler(InvocationType type) {
        return Handlers.of(type, (request, response, callback) -> {
            if (Request.getPathInContext(request).equals("/copied")) {
                new Copy(type, response, callback).iterate();
            } else {
                Content.Sink.write(response, true, SMALL, callback);
            }
        });
    }

    private ServerConnector connector(Server server, Protocol protocol) {
        HttpConfiguration configuration = new HttpConfiguration();
        HttpConnectionFactory http = new HttpConnectionFactory(configuration);
        return switch (protocol) {
            case CLEAR -> connector(server, http);
            case TLS -> connector(server, connectors.tls(tls.server(), http.getProtocol()), http);
            case HTTP2 -> connector(server, http, new HTTP2CServerConnectionFactory(configuration));
        };
    }

    /** One selector. Nobody looks after what runs for a second in its thread: nobody is to wait for as long. */
    private ServerConnector connector(Server server, ConnectionFactory... factories) {
        ServerConnector connector = connectors.on(server, factories);
        if (!(connector instanceof NioConnector nio)) {
            return connector;
        }
        NioConnector watched =
                new NioConnector(server, null, new SelectorDispatchTest.ShortLooks(), null, 1, 1, factories);
        watched.setDispatch(nio.getDispatch());
        return watched;
    }

    private RawClient connect(TestServer server, Protocol protocol) throws Exception {
        return protocol == Protocol.TLS ? tls.connect(server.port()) : server.client();
    }

    private static void ask(Protocol protocol, RawClient client) throws Exception {
        if (protocol == Protocol.HTTP2) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            assertEquals(SMALL, frames.get("/").content());
            frames.get("/copied");
        } else {
            // What comes with the last of a handshake is handled by the thread that has computed it.
            assertEquals(SMALL, client.get("/").answer().text());
            client.get("/copied");
        }
    }

    private void awaitMore() {
        long target = received.get() + MANY_BYTES;
        Await.until("it gets more", () -> received.get() > target, () -> received + " of " + target);
    }

    /** @param waits whether the copy has to wait before the peer reads: then the selector goes on with it */
    private void answersOthers(Protocol protocol, InvocationType type, boolean waits) throws Exception {
        assumeTrue(
                connectors != Connectors.STOCK || type == InvocationType.BLOCKING,
                "Jetty's selector serves nobody else meanwhile");
        try (TestServer server = new TestServer(s -> connector(s, protocol)).start(handler(type));
                RawClient other = connect(server, protocol);
                Reader reader = new Reader(connect(server, protocol))) {
            isRead = !waits;
            ask(protocol, reader.client);
            if (waits) {
                server.awaitBlockedWrite();
                isRead = true;
            }
            reader.thread.start();
            awaitMore();
            for (int round = 0; round < ROUNDS; round++) {
                assertEquals(SMALL, other.get("/").answer().text());
            }
            // With HTTP/2 more than that would have closed the window, which ends the turn of any copy.
            assertTrue(received.get() < Integer.MAX_VALUE, received + " came before");
            awaitMore();
        }
    }

    @ParameterizedTest
    @MethodSource("copies")
    void answersOthersWhileARequestCopies(Protocol protocol, InvocationType type) throws Exception {
        assumeTrue(
                protocol != Protocol.HTTP2 || type == InvocationType.BLOCKING,
                "Where no thread stands ready, Jetty answers in the selector's thread until a window closes");
        answersOthers(protocol, type, false);
    }

    @ParameterizedTest
    @MethodSource("copies")
    void answersOthersWhileAWriteGoesOn(Protocol protocol, InvocationType type) throws Exception {
        answersOthers(protocol, type, true);
    }
}
