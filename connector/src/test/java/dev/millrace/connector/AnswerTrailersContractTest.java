package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Handler;
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

    private static final byte[] CONTENT = RandomBytes.of(10 * FRAME_BYTES);

    @Parameter
    Connectors connectors;

    /** Answers with as many bytes as the path says, and with trailers. */
    private final Handler trailing = Handlers.of((request, response, callback) -> {
        int bytes = Integer.parseInt(request.getHttpURI().getPath().substring(1));
        response.setTrailersSupplier(() -> HttpFields.build().put("checksum", "1"));
        response.write(true, ByteBuffer.wrap(CONTENT, 0, bytes), callback);
    });

    private TestServer server() throws Exception {
        return new TestServer(connectors::http2).start(trailing);
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
}
