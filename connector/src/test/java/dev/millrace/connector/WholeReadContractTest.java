package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a peer sends at once, and Jetty's buffer can take, the application reads at once. No protocol promises it, but behind a
 * selector it is so, and a connection that reads ahead must not cut it in pieces.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class WholeReadContractTest {
    /** Around the sizes of buffers that read ahead, and well below Jetty's own of 8 and 16 KiB. */
    private static final int[] SIZES = {1, 64, 128, 200, 512, 600, 1000, 4000, 512, 100, 7000};

    @Parameter
    Connectors connectors;

    /** Answers with the sizes of the parts in which it has read the content. */
    private final Handler parts =
            Handlers.of((request, response, callback) -> read(request, response, callback, new ArrayList<>()));

    private static void read(Request request, Response response, Callback callback, List<Integer> sizes) {
        while (true) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                request.demand(() -> read(request, response, callback, sizes));
                return;
            }
            if (Content.Chunk.isFailure(chunk)) {
                callback.failed(chunk.getFailure());
                return;
            }
            if (chunk.hasRemaining()) {
                sizes.add(chunk.remaining());
            }
            chunk.release();
            if (chunk.isLast()) {
                Content.Sink.write(response, true, sizes.toString(), callback);
                return;
            }
        }
    }

    private static void post(RawClient client) throws Exception {
        for (int size : SIZES) {
            byte[] head = ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + size + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
            client.send(ByteBuffer.allocate(head.length + size).put(head).array());
            assertEquals(List.of(size).toString(), client.answer().text());
        }
    }

    @Test
    void aRequestIsReadAtOnce() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(parts);
                RawClient client = server.client()) {
            post(client);
        }
    }

    @Test
    void aRequestIsReadAtOnceOverTls() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = new TestServer(s -> connectors.https(s, tls)).start(parts);
                RawClient client = tls.over(new Socket("127.0.0.1", server.port()), "http/1.1")) {
            post(client);
        }
    }

    @Test
    void aFrameIsReadAtOnce() throws Exception {
        try (TestServer server = new TestServer(connectors::http2).start(parts);
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            for (int size : SIZES) {
                assertEquals(
                        List.of(size).toString(),
                        frames.post("/", new byte[size]).content());
            }
        }
    }
}
