package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The trailers of an answer of HTTP/2 come behind all of its content (RFC 9113 section 8.1), which is one write here. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class AnswerTrailersContractTest {
    /** What a frame may have, unless the peer allows more (RFC 9113 section 4.2). */
    private static final int FRAME_BYTES = 16_384;

    private static final int CANCEL = 8;

    private static final byte[] CONTENT = RandomBytes.of(10 * FRAME_BYTES);

    @Parameter
    Connectors connectors;

    /** Answers with as many bytes as the path says, and with trailers. */
    private final Handler trailing = answering(() -> HttpFields.build().put("checksum", "1"));

    /** Answers with trailers that throw if the query says so; the query also says what becomes of the failure. */
    private final Handler throwing = Handlers.of((request, response, callback) -> {
        String trouble = request.getHttpURI().getQuery();
        response.setTrailersSupplier(() -> {
            if (trouble != null) {
                throw new IllegalStateException("meant to fail");
            }
            return HttpFields.build().put("checksum", "1");
        });
        if (!"ignored".equals(trouble)) {
            response.write(true, content(request), callback);
            return;
        }
        Callback ignoring = Callback.from(callback::succeeded, failure -> callback.succeeded());
        try {
            response.write(true, content(request), ignoring);
        } catch (IllegalStateException x) {
            ignoring.failed(x);
        }
    });

    private static Handler answering(Supplier<HttpFields> trailers) {
        return Handlers.of((request, response, callback) -> {
            response.setTrailersSupplier(trailers);
            response.write(true, content(request), callback);
        });
    }

    private static ByteBuffer content(Request request) {
        int bytes = Integer.parseInt(request.getHttpURI().getPath().substring(1));
        return ByteBuffer.wrap(CONTENT, 0, bytes);
    }

    private TestServer server() throws Exception {
        return server(trailing);
    }

    private TestServer server(Handler handler) throws Exception {
        return new TestServer(connectors::http2).start(handler);
    }

    private static byte[] content(int from, int to) {
        return Arrays.copyOfRange(CONTENT, from, to);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, FRAME_BYTES, FRAME_BYTES + 1, 10 * FRAME_BYTES})
    void comeBehindAllFrames(int bytes) throws Exception {
        assumeTrue(bytes <= FRAME_BYTES || connectors != Connectors.STOCK, "Jetty sends them behind the first frame");
        try (TestServer server = server();
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            for (int i = 0; i < 3; i++) {
                assertArrayEquals(content(0, bytes), frames.get("/" + bytes).contentBytes());
            }
        }
    }

    @Test
    void waitForTheWindow() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty sends them when the window closes");
        try (TestServer server = server();
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            frames.setWindows(100);
            int stream = frames.get("/1000").lastStream();
            assertEquals(100, frames.part(stream).length());
            frames.openWindow(stream, 900);
            assertArrayEquals(content(100, 1000), frames.content(stream));
        }
    }

    /** What they are taken from may belong to that thread, and they may throw. */
    @Test
    void areAskedForWithinTheWrite() throws Exception {
        AtomicReference<Thread> writing = new AtomicReference<>();
        CountDownLatch written = new CountDownLatch(1);
        List<Boolean> askedWithin = new CopyOnWriteArrayList<>();
        Handler handler = Handlers.of((request, response, callback) -> {
            response.setTrailersSupplier(() -> {
                askedWithin.add(writing.get() == Thread.currentThread());
                return HttpFields.build().put("checksum", "1");
            });
            writing.set(Thread.currentThread());
            response.write(true, content(request), callback);
            writing.set(null);
            written.countDown();
        });
        try (TestServer server = server(handler);
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            frames.setWindows(100);
            int stream = frames.get("/1000").lastStream();
            assertEquals(100, frames.part(stream).length());
            written.await();
            frames.openWindow(stream, 900);
            // Jetty has sent the trailers already.
            if (connectors != Connectors.STOCK) {
                assertArrayEquals(content(100, 1000), frames.content(stream));
            }
            assertEquals(List.of(true), askedWithin);
        }
    }

    /** An application that takes the failed write for a good one has not sent a head either. */
    @ParameterizedTest
    @ValueSource(strings = {"/5?thrown", "/5?ignored"})
    void thatThrowFailTheirOwnStream(String path) throws Exception {
        try (TestServer server = server(throwing);
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            for (int i = 0; i < 3; i++) {
                frames.get(path);
                if (connectors == Connectors.STOCK) {
                    assertEquals(CANCEL, frames.awaitReset(frames.lastStream()));
                } else {
                    String error = frames.content();
                    assertTrue(error.contains("HTTP ERROR 500"), error);
                }
                assertArrayEquals(content(0, 5), frames.get("/5").contentBytes());
            }
        }
    }

    @Test
    void thatThrowLetTheErrorComeInParts() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty resets the stream");
        TestServer unstarted = new TestServer(connectors::http2);
        unstarted.server().setErrorHandler((request, response, callback) -> {
            Callback rest = Callback.from(() -> Content.Sink.write(response, true, "more", callback), callback::failed);
            Content.Sink.write(response, false, "one ", rest);
            return true;
        });
        try (TestServer server = unstarted.start(throwing);
                RawClient client = server.client()) {
            assertEquals("one more", new Http2Frames(client).get("/5?thrown").content());
        }
    }

    @Test
    void mayBeNone() throws Exception {
        for (HttpFields none : Arrays.asList(null, HttpFields.EMPTY)) {
            try (TestServer server = server(answering(() -> none));
                    RawClient client = server.client()) {
                Http2Frames frames = new Http2Frames(client).openWindows();
                int bytes = 2 * FRAME_BYTES;
                assertArrayEquals(content(0, bytes), frames.get("/" + bytes).contentBytes());
            }
        }
    }

    /** A stream of an application, below that of the connector. */
    private static Request customize(Request request, HttpFields.Mutable responseHeaders) {
        request.addHttpStreamWrapper(stream -> new HttpStream.Wrapper(stream) {
            @Override
            public void send(
                    MetaData.Request metaData,
                    MetaData.Response response,
                    boolean last,
                    ByteBuffer content,
                    Callback callback) {
                if (response == null) {
                    throw new IllegalStateException("meant to fail");
                }
                super.send(metaData, response, last, content, callback);
            }
        });
        return request;
    }

    @Test
    void whoseStreamThrowsStopNoOtherStream() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty does not split the write");
        TestServer unstarted = new TestServer(connectors::http2);
        unstarted
                .connector()
                .getConnectionFactory(HTTP2CServerConnectionFactory.class)
                .getHttpConfiguration()
                .addCustomizer(AnswerTrailersContractTest::customize);
        try (TestServer server = unstarted.start(trailing);
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            int stream = frames.get("/5").lastStream();
            assertEquals(CANCEL, frames.awaitReset(stream));
            assertArrayEquals(content(0, 0), frames.get("/0").contentBytes());
        }
    }
}
