package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.NioConnector;
import dev.millrace.spring.HelloApplication.Gate;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What Spring Boot sets on a connector goes on holding. */
@ParameterizedClass
@ValueSource(strings = {"nio", "bio"})
class ServerPropertiesTest {
    private static final String HELLO = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";

    @Parameter
    String kind;

    private RunningApp start(String... options) {
        return RunningApp.start(
                HelloApplication.class,
                Stream.concat(Stream.of("--millrace.connector=" + kind), Stream.of(options))
                        .toArray(String[]::new));
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads until the text has been received. */
    private static void await(String text, InputStream in) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(text) < 0) {
            int one = in.read();
            assertTrue(one >= 0, () -> "the end, after " + read);
            read.append((char) one);
        }
    }

    /** One below those that the system gives to clients: none of them takes it before the server does. */
    private static int freePort() {
        int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.getLocalPort();
        } catch (IOException ignored) {
            // The port is taken.
            return freePort();
        }
    }

    @Test
    void portIsTheGivenOne() throws Exception {
        int free = freePort();
        try (RunningApp app = start("--server.port=" + free)) {
            assertEquals(free, app.port());
            assertEquals("http: hello", app.get("/hello").body());
        }
    }

    @Test
    void portMinusOneOpensNone() {
        try (RunningApp app = start("--server.port=-1")) {
            assertTrue(app.context().isRunning());
            assertEquals(-1, app.port());
        }
    }

    @Test
    void addressIsTheOnlyOne() throws Exception {
        try (RunningApp app = start("--server.address=127.0.0.2")) {
            assertEquals("127.0.0.2", app.connector().getHost());
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.2:" + app.port() + "/hello"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals("http: hello", answer.body());
            ServerSocketChannel channel = (ServerSocketChannel) app.connector().getTransport();
            assertEquals(new InetSocketAddress("127.0.0.2", app.port()), channel.getLocalAddress());
        }
    }

    @Test
    void http2GoesWithoutTls() throws Exception {
        try (RunningApp app = start("--server.http2.enabled=true")) {
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://localhost:" + app.port() + "/hello"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals("http: hello", answer.body());
            assertSame(HttpClient.Version.HTTP_2, answer.version());
        }
    }

    @Test
    void idleConnectionsEnd() throws Exception {
        // Longer than a pause of the machine between the connection's beginning and its first request.
        try (RunningApp app = start("--server.jetty.connection-idle-timeout=2s");
                Socket socket = app.connect()) {
            assertEquals(2000, app.connector().getIdleTimeout());
            write(socket, HELLO);
            await("http: hello", socket.getInputStream());
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    @Test
    void connectionsBeyondTheLimitWait() throws Exception {
        try (RunningApp app = start("--server.jetty.max-connections=1")) {
            assertEquals(1, app.connector().getMaxConnections());
            assertNull(app.server().getBean(NetworkConnectionLimit.class), "a limit of a connector that is not there");
            Socket first = app.connect();
            write(first, HELLO);
            await("http: hello", first.getInputStream());
            try (Socket second = app.connect()) {
                write(second, HELLO);
                write(first, HELLO);
                await("http: hello", first.getInputStream());
                assertEquals(0, second.getInputStream().available());
                first.close();
                await("http: hello", second.getInputStream());
            }
        }
    }

    @Test
    void theHeadOfARequestMayBeAsLargeAsSaid() throws Exception {
        String field = "a".repeat(20_000);
        try (RunningApp app = start("--server.max-http-request-header-size=32KB")) {
            assertEquals(200, app.get("/hello", "X-Long", field).statusCode());
        }
        try (RunningApp app = start("--server.max-http-request-header-size=16KB")) {
            assertEquals(431, app.get("/hello", "X-Long", field).statusCode());
        }
    }

    @Test
    void threadsAreThoseOfThePool() {
        try (RunningApp app = start(
                "--server.jetty.threads.max=33",
                "--server.jetty.threads.min=3",
                "--server.jetty.threads.acceptors=2",
                "--server.jetty.threads.selectors=3")) {
            QueuedThreadPool pool =
                    assertInstanceOf(QueuedThreadPool.class, app.server().getThreadPool());
            assertEquals(33, pool.getMaxThreads());
            assertEquals(3, pool.getMinThreads());
            assertEquals(2, app.connector().getAcceptors());
            if (app.connector() instanceof NioConnector nio) {
                assertEquals(3, nio.getSelectors());
            }
        }
    }

    @Test
    void requestsAreLogged(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("access.log");
        try (RunningApp app =
                start("--server.jetty.accesslog.enabled=true", "--server.jetty.accesslog.filename=" + log)) {
            app.get("/hello");
            String expected = "\"GET /hello HTTP/1.1\" 200";
            // A client has an answer's last byte before the server logs it.
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!Files.readString(log).contains(expected) && System.nanoTime() < end) {
                Thread.yield();
            }
            assertTrue(Files.readString(log).contains(expected), () -> "not in " + log);
        }
    }

    @Test
    void forwardedFieldsAreBelieved() throws Exception {
        for (String strategy : new String[] {"native", "framework"}) {
            try (RunningApp app = start("--server.forward-headers-strategy=" + strategy)) {
                assertEquals(
                        "https: hello",
                        app.get("/hello", "X-Forwarded-Proto", "https").body(),
                        strategy);
            }
        }
        try (RunningApp app = start("--server.forward-headers-strategy=none")) {
            assertEquals(
                    "http: hello",
                    app.get("/hello", "X-Forwarded-Proto", "https").body());
        }
    }

    @Test
    void answersAreCompressed() throws Exception {
        try (RunningApp app = start("--server.compression.enabled=true")) {
            HttpResponse<String> answer = app.get("/long", "Accept-Encoding", "gzip");
            assertEquals(Optional.of("gzip"), answer.headers().firstValue("Content-Encoding"));
            assertArrayEquals(
                    new int[] {0x1f, 0x8b}, answer.body().chars().limit(2).toArray());
        }
    }

    @Test
    void aRequestThatRunsEndsBeforeTheServer() throws Exception {
        RunningApp app = start("--server.shutdown=graceful");
        Gate gate = app.context().getBean(Gate.class);
        CompletableFuture<HttpResponse<String>> answer = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        answer.complete(app.get("/gate"));
                    } catch (Exception x) {
                        answer.completeExceptionally(x);
                    }
                })
                .start();
        assertTrue(gate.entered.await(60, TimeUnit.SECONDS));
        var connector = app.connector();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(app::close);
        while (!connector.isShutdown()) {
            Thread.onSpinWait();
        }
        gate.opened.countDown();
        assertEquals("passed", answer.get(60, TimeUnit.SECONDS).body());
        closed.get(60, TimeUnit.SECONDS);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void requestsRunOnVirtualThreads() throws Exception {
        try (RunningApp app = start("--spring.threads.virtual.enabled=true")) {
            String thread = app.get("/thread").body();
            assertTrue(thread.startsWith("VirtualThread"), thread);
        }
    }

    @Test
    void errorsHaveSpringsPages() throws Exception {
        try (RunningApp app = start()) {
            HttpResponse<String> missing = app.get("/missing", "Accept", "application/json");
            assertEquals(404, missing.statusCode());
            assertTrue(missing.body().contains("\"path\":\"/missing\""), missing.body());
            HttpResponse<String> failed = app.get("/failing", "Accept", "text/html");
            assertEquals(500, failed.statusCode());
            assertTrue(failed.body().contains("Whitelabel Error Page"), failed.body());
        }
    }
}
