package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The length that a handler sets beside the file that it names is that of its own body: it is discarded with it. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class DelegatedLengthTest {
    private static final int BYTES = 200_000;
    // As without a body, of a short one, of one that is never complete, of the file, and of more than it.
    private static final int[] LENGTHS = {0, 7, 1000, BYTES, 2 * BYTES};

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
        String[] way = request.getHttpURI().getQuery().split(",");
        if (way[0].equals("first")) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, way[1]);
        }
        response.getHeaders().put("X-Sendfile", directory + Request.getPathInContext(request));
        if (way[0].equals("last")) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, way[1]);
        }
        if (way[2].equals("7")) {
            response.write(false, ByteBuffer.allocate(7), callback);
        } else {
            callback.succeeded();
        }
    }));
    private byte[] bytes;

    @BeforeEach
    void file() throws Exception {
        bytes = TestFiles.write(directory, "file.bin", BYTES);
        handler.addRoot(directory.toString());
    }

    private static Answer answer(RawClient client, String method, String uri, String fields) throws Exception {
        Answer answer = client.send(method + " " + uri + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n")
                .answer(method);
        assertNull(answer.headers().get("X-Sendfile"), uri);
        return answer;
    }

    @Test
    void theFilesOwnIsSent() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            for (int length : LENGTHS) {
                for (String way : new String[] {
                    "first," + length + ",0", "last," + length + ",0", "first," + length + ",7", "last," + length + ",7"
                }) {
                    Answer whole = answer(client, "GET", "/file.bin?" + way, "");
                    assertEquals(200, whole.status(), way);
                    assertArrayEquals(bytes, whole.body(), way);
                    Answer part = answer(client, "GET", "/file.bin?" + way, "Range: bytes=100-149999\r\n");
                    assertEquals(206, part.status(), way);
                    assertArrayEquals(Arrays.copyOfRange(bytes, 100, 150_000), part.body(), way);
                    assertEquals(
                            "" + BYTES,
                            answer(client, "HEAD", "/file.bin?" + way, "")
                                    .headers()
                                    .get("Content-Length"),
                            way);
                    assertShort(client, way);
                }
            }
        }
    }

    /** Answers that are not of the file's content have their own length, or none. */
    private static void assertShort(RawClient client, String way) throws Exception {
        Answer parts = answer(client, "GET", "/file.bin?" + way, "Range: bytes=0-9,20-29\r\n");
        assertEquals(206, parts.status(), way);
        assertTrue(parts.text().endsWith("--\r\n"), way);
        Answer unchanged =
                answer(client, "GET", "/file.bin?" + way, "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n");
        assertEquals(304, unchanged.status(), way);
        assertNull(unchanged.headers().get("Content-Length"), way);
        Answer outside = answer(client, "GET", "/file.bin?" + way, "Range: bytes=200000-\r\n");
        assertEquals(416, outside.status(), way);
        assertTrue(outside.text().contains("416"), way);
        assertEquals(404, answer(client, "GET", "/none?" + way, "").status(), way);
    }
}
