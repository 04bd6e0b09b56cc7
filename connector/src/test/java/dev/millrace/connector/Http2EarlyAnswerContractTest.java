package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An answer of HTTP/2 that comes before the content of its request has been read. The stream is reset behind it, without an error if it
 * is whole (RFC 9113 section 8.1): clients such as the JDK's discard the answer of a stream that was cancelled.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class Http2EarlyAnswerContractTest {
    private static final String ANSWER = "too large";

    @Parameter
    Connectors connectors;

    /** Reads no content. */
    private final Handler refusing = Handlers.of((request, response, callback) -> {
        switch (Request.getPathInContext(request)) {
            case "/error" -> Response.writeError(request, response, callback, 413, ANSWER);
            case "/half" -> Content.Sink.write(response, false, ANSWER, callback);
            case "/failed" ->
                Content.Sink.write(
                        response,
                        false,
                        ANSWER,
                        Callback.from(() -> callback.failed(new IOException("meant")), callback::failed));
            default -> Content.Sink.write(response, true, ANSWER, callback);
        }
    });

    private TestServer server() throws Exception {
        return new TestServer(connectors::http2).start(refusing);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/answer", "/error"})
    void isFollowedByAResetWithoutError(String path) throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty means to, but looks for its reason behind another exception");
        try (TestServer server = server();
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client);
            for (int i = 0; i < 3; i++) {
                int stream = frames.post(path);
                frames.sendPart(stream, new byte[1000]);
                frames.content(stream);
                assertEquals(ErrorCode.NO_ERROR.code, frames.awaitReset(stream));
            }
            assertEquals(ANSWER, frames.get("/answer").content());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/half", "/failed"})
    void isFollowedByAnErrorIfItIsNotWhole(String path) throws Exception {
        try (TestServer server = server();
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client);
            int stream = frames.post(path);
            frames.sendPart(stream, new byte[1000]);
            assertNotEquals(ErrorCode.NO_ERROR.code, frames.awaitReset(stream));
            assertEquals(ANSWER, frames.get("/answer").content());
        }
    }
}
