package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A client that stops reading in the middle of 10 MB: it goes on, it goes away, it stays and says nothing. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class StalledReaderTest {
    private static final int BYTES = 10_000_000;
    private static final int TAKEN = 1_000_000;

    @TempDir
    static Path directory;

    private static byte[] content;

    enum Source {
        HEAP,
        DIRECT,
        FILE
    }

    @BeforeAll
    static void write() throws Exception {
        content = TestFiles.write(directory, "ten", BYTES);
    }

    static Stream<Arguments> cases() {
        return Connectors.all().flatMap(c -> Stream.of(Source.values()).map(source -> Arguments.of(c, source)));
    }

    /** Remembers how its last answer ended. */
    private static final class Answers extends Handler.Wrapper {
        private final CompletableFuture<Throwable> end = new CompletableFuture<>();

        private Answers(Source source) {
            super(
                    source == Source.FILE
                            ? Handlers.files(directory)
                            : Handlers.of((request, response, callback) -> {
                                ByteBuffer buffer = source == Source.HEAP
                                        ? ByteBuffer.wrap(content)
                                        : ByteBuffer.allocateDirect(BYTES)
                                                .put(content)
                                                .flip();
                                response.getHeaders().put("Content-Length", BYTES);
                                response.write(true, buffer, callback);
                            }));
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            Request.addCompletionListener(request, end::complete);
            return super.handle(request, response, callback);
        }
    }

    private static RawClient stall(TestServer server) throws Exception {
        RawClient client = new RawClient(server.port(), 4096).get("/ten");
        for (String line = client.line(); !line.isEmpty(); line = client.line()) {
            // The head.
        }
        assertArrayEquals(java.util.Arrays.copyOf(content, TAKEN), client.in().readNBytes(TAKEN));
        return client;
    }

    private static TestServer server(Connectors connectors, Handler handler) throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.connector().setIdleTimeout(30_000);
        return server.start(handler);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void goesOn(Connectors connectors, Source source) throws Exception {
        Answers answers = new Answers(source);
        try (TestServer server = server(connectors, answers);
                RawClient client = stall(server)) {
            server.awaitBlockedWrite();
            byte[] rest = client.in().readNBytes(BYTES - TAKEN);
            assertArrayEquals(java.util.Arrays.copyOfRange(content, TAKEN, BYTES), rest);
            assertEquals(BYTES, client.get("/ten").answer().body().length);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void goesAway(Connectors connectors, Source source) throws Exception {
        Answers answers = new Answers(source);
        try (TestServer server = server(connectors, answers)) {
            RawClient client = stall(server);
            server.awaitBlockedWrite();
            client.close();
            assertNotNull(answers.end.get(30, TimeUnit.SECONDS));
            server.awaitNoEndPoints();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void staysAndSaysNothing(Connectors connectors, Source source) throws Exception {
        Answers answers = new Answers(source);
        try (TestServer server = server(connectors, answers);
                RawClient client = stall(server)) {
            server.awaitBlockedWrite();
            // Not before: the client takes what it takes at its own pace.
            server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(300));
            assertNotNull(answers.end.get(30, TimeUnit.SECONDS));
            server.awaitNoEndPoints();
        }
    }

    /** Its flow control allows everything, and its socket takes nothing. Jetty's own connector keeps such connections. */
    @Test
    void isEndedByTheIdleTimeoutOverHttp2() throws Exception {
        AtOnce.on(Connectors.ours(), StalledReaderTest::assertEndedByTheIdleTimeoutOverHttp2);
    }

    private static void assertEndedByTheIdleTimeoutOverHttp2(Connectors connectors) throws Exception {
        TestServer server = new TestServer(connectors::httpAndHttp2);
        Handler large = Handlers.of((request, response, callback) -> {
            // Not from the accept on: a slow machine may need that second for the request.
            EndPoints.of(request).setIdleTimeout(1000);
            response.write(true, ByteBuffer.allocate(BYTES), callback);
        });
        try (server;
                RawClient client = new RawClient(server.start(large).port(), 4096)) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            server.awaitEndPoints(1);
            frames.get("/");
            server.awaitNoEndPoints();
        }
    }
}
