package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.eclipse.jetty.util.thread.Invocable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client that sends everything before it reads anything: the thread that reads for the server must never wait in a
 * write to it.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class Http2DuplexContractTest {
    private static final int BYTES = 8_000_000;
    private static final int SOCKET_BUFFER_BYTES = 64 * 1024;

    @Parameter
    Connectors connectors;

    /** Writes back what it gets, on the thread that reads the connection: piece by piece, or reading whatever comes. */
    private final Handler echo = Handlers.of(Invocable.InvocationType.NON_BLOCKING, (request, response, callback) -> {
        if (Request.getPathInContext(request).equals("/greedy")) {
            new Greedy(request, response, callback).read();
        } else {
            Content.copy(request, response, callback);
        }
    });

    private static final class Greedy extends IteratingCallback implements Invocable.Task {
        private final Request request;
        private final Response response;
        private final Callback callback;
        private final Queue<Content.Chunk> chunks = new ConcurrentLinkedQueue<>();
        private Content.Chunk written;
        private boolean isComplete;

        private Greedy(Request request, Response response, Callback callback) {
            this.request = request;
            this.response = response;
            this.callback = callback;
        }

        @Override
        public void run() {
            read();
        }

        @Override
        public InvocationType getInvocationType() {
            return InvocationType.NON_BLOCKING;
        }

        private void read() {
            for (Content.Chunk chunk = request.read(); chunk != null; chunk = request.read()) {
                if (Content.Chunk.isFailure(chunk)) {
                    abort(chunk.getFailure());
                    return;
                }
                // Before the last write, which may release it.
                boolean last = chunk.isLast();
                chunks.add(chunk);
                iterate();
                if (last) {
                    return;
                }
            }
            request.demand(this);
        }

        @Override
        protected Action process() {
            if (isComplete) {
                return Action.SUCCEEDED;
            }
            written = chunks.poll();
            if (written == null) {
                return Action.IDLE;
            }
            response.write(written.isLast(), written.getByteBuffer(), this);
            return Action.SCHEDULED;
        }

        @Override
        protected void onSuccess() {
            isComplete = written.isLast();
            written.release();
            written = null;
        }

        @Override
        protected void onCompleteSuccess() {
            callback.succeeded();
        }

        // A peer that has its answer may close before who wrote it is told that he did.
        @Override
        protected void onCompleteFailure(Throwable cause) {
            if (written != null) {
                written.release();
            }
            chunks.forEach(Content.Chunk::release);
            callback.failed(cause);
        }
    }

    // Flow control allows everything, in both directions: only the sockets end it.
    private static <F extends AbstractHTTP2ServerConnectionFactory> F open(F http2) {
        http2.setInitialSessionRecvWindow(2 * BYTES);
        http2.setInitialStreamRecvWindow(2 * BYTES);
        return http2;
    }

    private TestServer start(TestServer server) throws Exception {
        server.connector().setAcceptedReceiveBufferSize(SOCKET_BUFFER_BYTES);
        server.connector().setAcceptedSendBufferSize(SOCKET_BUFFER_BYTES);
        return server.start(echo);
    }

    private TestServer plain() throws Exception {
        return start(new TestServer(
                s -> connectors.on(s, open(new HTTP2CServerConnectionFactory(new HttpConfiguration())))));
    }

    private static RawClient client(TestServer server) throws Exception {
        RawClient client = new RawClient(server.port(), SOCKET_BUFFER_BYTES);
        client.socket().setSendBufferSize(SOCKET_BUFFER_BYTES);
        return client;
    }

    @Test
    void echoesPieceByPiece() throws Exception {
        try (TestServer server = plain();
                RawClient client = client(server)) {
            echo(server, client, "/");
        }
    }

    @Test
    void echoesWhileItReadsWhateverComes() throws Exception {
        try (TestServer server = plain();
                RawClient client = client(server)) {
            echo(server, client, "/greedy");
        }
    }

    @Test
    void echoesOverTls() throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.on(
                s,
                connectors.tls(tls.server(), "alpn"),
                new ALPNServerConnectionFactory("h2"),
                open(new HTTP2ServerConnectionFactory(new HttpConfiguration()))));
        RawClient plain = client(start(server));
        // The socket below is closed first: TLS would wait for a thread that cannot write, when the test has failed.
        try (server;
                RawClient client = tls.over(plain.socket(), "h2");
                plain) {
            echo(server, client, "/greedy");
        }
    }

    private static void echo(TestServer server, RawClient client, String path) throws Exception {
        byte[] body = RandomBytes.of(BYTES);
        Http2Frames frames = new Http2Frames(client).openWindows();
        // Behind the server's preface, which opens its windows.
        assertEquals("", frames.get("/").content());
        CompletableFuture.runAsync(() -> post(frames, path, body)).get(30, TimeUnit.SECONDS);
        server.awaitBlockedWrite();
        assertArrayEquals(body, frames.contentBytes());
        assertEquals(
                "again",
                frames.post(path, "again".getBytes(StandardCharsets.UTF_8)).content());
        // The request ends after its answer: stopping must not overtake it.
        client.close();
        server.awaitNoEndPoints();
    }

    private static void post(Http2Frames frames, String path, byte[] body) {
        try {
            frames.post(path, body);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
