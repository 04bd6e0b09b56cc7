package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Servlets;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Asynchronous servlets, with more in flight in both directions than the sockets hold. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class AsyncContractTest {
    private static final int BYTES = 24_000_000;

    @Parameter
    Connectors connectors;

    private TestServer server(HttpServlet servlet) throws Exception {
        return new TestServer(connectors::http).start(context(servlet));
    }

    private static ServletContextHandler context(HttpServlet servlet) {
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/*");
        return context;
    }

    /** Reads whatever comes, and writes it back when it can. */
    private static final class Echo extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            new Exchange(request, response).start();
        }

        private static final class Exchange implements ReadListener, WriteListener {
            private final AsyncContext context;
            private final ServletInputStream in;
            private final ServletOutputStream out;
            private final Queue<byte[]> queue = new ArrayDeque<>();
            private boolean read;
            private boolean done;

            private Exchange(HttpServletRequest request, HttpServletResponse response) throws IOException {
                response.setContentLengthLong(request.getContentLengthLong());
                context = request.startAsync();
                context.setTimeout(0);
                in = request.getInputStream();
                out = response.getOutputStream();
            }

            private void start() {
                in.setReadListener(this);
                out.setWriteListener(this);
            }

            @Override
            public void onDataAvailable() throws IOException {
                while (in.isReady()) {
                    byte[] piece = new byte[32 * 1024];
                    int n = in.read(piece);
                    if (n < 0) {
                        return;
                    }
                    queue.add(java.util.Arrays.copyOf(piece, n));
                }
                onWritePossible();
            }

            @Override
            public void onAllDataRead() throws IOException {
                read = true;
                onWritePossible();
            }

            @Override
            public void onWritePossible() throws IOException {
                while (out.isReady()) {
                    byte[] piece = queue.poll();
                    if (piece != null) {
                        out.write(piece);
                    } else {
                        if (read && !done) {
                            done = true;
                            context.complete();
                        }
                        return;
                    }
                }
            }

            @Override
            public void onError(Throwable failure) {
                if (!done) {
                    done = true;
                    context.complete();
                }
            }
        }
    }

    @Test
    void echoesToAClientThatSendsEverythingFirst() throws Exception {
        try (TestServer server = server(new Echo());
                RawClient client = server.client()) {
            echo(server, client, RandomBytes.of(BYTES));
        }
    }

    // Smaller buffers: encrypting takes time.
    @Test
    void echoesOverTlsToAClientThatSendsEverythingFirst() throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        server.connector().setAcceptedReceiveBufferSize(64 * 1024);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        try (server;
                RawClient plain =
                        new RawClient(server.start(context(new Echo())).port(), 64 * 1024);
                RawClient client = tls.over(plain.socket())) {
            echo(server, client, RandomBytes.of(BYTES / 4));
        }
    }

    private static void echo(TestServer server, RawClient client, byte[] body) throws Exception {
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length + "\r\n\r\n");
        client.send(body);
        assertArrayEquals(body, client.answer().body());
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nagain");
        assertEquals("again", client.answer().text());
        // The request ends on a thread of the pool, after its answer: stopping must not overtake it.
        client.close();
        server.awaitNoEndPoints();
    }

    @Test
    void echoesOverHttp2() throws Exception {
        byte[] body = RandomBytes.of(BYTES);
        TestServer server = new TestServer(connectors::httpAndHttp2);
        // The client sends all that it has, whatever the windows are.
        HTTP2CServerConnectionFactory http2 =
                server.connector().getConnectionFactory(HTTP2CServerConnectionFactory.class);
        http2.setInitialSessionRecvWindow(2 * BYTES);
        http2.setInitialStreamRecvWindow(2 * BYTES);
        try (server;
                RawClient client = server.start(context(new Echo())).client()) {
            // By hand: the JDK's client may lose what comes at once behind the answer to its upgrade.
            Http2Frames frames = new Http2Frames(client).openWindows();
            int stream = frames.post("/");
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(() -> send(frames, stream, body), task -> new Thread(task).start());
            assertArrayEquals(body, frames.content(stream));
            sent.get(30, TimeUnit.SECONDS);
        }
    }

    private static void send(Http2Frames frames, int stream, byte[] body) {
        try {
            frames.send(stream, body);
        } catch (IOException x) {
            throw new java.io.UncheckedIOException(x);
        }
    }

    @Test
    void answersFromAnotherThread() throws Exception {
        HttpServlet later = Servlets.get((request, response) -> {
            AsyncContext context = request.startAsync();
            context.start(() -> {
                try {
                    response.getWriter().print(request.getRequestURI());
                    context.complete();
                } catch (IOException x) {
                    throw new java.io.UncheckedIOException(x);
                }
            });
        });
        try (TestServer server = server(later);
                RawClient client = server.client()) {
            for (int i = 0; i < 20; i++) {
                assertEquals("/" + i, client.get("/" + i).answer().text());
            }
            for (int i = 0; i < 20; i++) {
                client.get("/" + i);
            }
            for (int i = 0; i < 20; i++) {
                assertEquals("/" + i, client.answer().text());
            }
            // Stopping must not overtake who has just written the last.
            client.close();
            server.awaitNoEndPoints();
        }
    }

    @Test
    void tellsOfATimeout() throws Exception {
        HttpServlet never = Servlets.get((request, response) -> {
            AsyncContext context = request.startAsync();
            context.setTimeout(100);
            context.addListener(new Late());
        });
        try (TestServer server = server(never);
                RawClient client = server.client()) {
            for (int i = 0; i < 3; i++) {
                assertEquals("late", client.get("/").answer().text());
            }
            client.close();
            server.awaitNoEndPoints();
        }
    }

    /** Answers when it is too late for anything else. */
    private static final class Late implements AsyncListener {
        @Override
        public void onTimeout(AsyncEvent event) throws IOException {
            event.getAsyncContext().getResponse().getWriter().print("late");
            event.getAsyncContext().complete();
        }

        @Override
        public void onComplete(AsyncEvent event) {
            // Nothing to do.
        }

        @Override
        public void onError(AsyncEvent event) {
            // The client misses its answer.
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // Only once.
        }
    }

    @Test
    void dispatchesAgain() throws Exception {
        HttpServlet twice = Servlets.get((request, response) -> {
            if (request.getAttribute("again") == null) {
                request.setAttribute("again", true);
                request.startAsync().dispatch();
            } else {
                response.getWriter().print("twice");
            }
        });
        try (TestServer server = server(twice);
                RawClient client = server.client()) {
            for (int i = 0; i < 5; i++) {
                assertEquals("twice", client.get("/").answer().text());
            }
        }
    }
}
