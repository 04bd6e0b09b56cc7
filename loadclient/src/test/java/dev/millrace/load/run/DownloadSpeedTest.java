package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.Http2TestServer;
import dev.millrace.load.TestServer;
import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.Target;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** The speed of a download is that of bytes that came one after the other, not of this client's checksum. */
class DownloadSpeedTest {

    private static final int BYTES = 1000;
    private static final int DOWNLOADS = 3;
    private static final int PAUSE_MILLIS = 100;

    private static SizeResult download(String url, Protocol protocol) throws Exception {
        return download(url, protocol, new CellRunTest.Failing(0));
    }

    private static SizeResult download(String url, Protocol protocol, ResponseCheck check) throws Exception {
        CellRunTest.Asking work = new CellRunTest.Asking(Target.of(url), check, true);
        CellResult result = new CellRun(
                        new Cell("", 1, 0, 0, protocol, 1, work),
                        CellRunTest.settings(Duration.ZERO, Duration.ofSeconds(20), DOWNLOADS),
                        null,
                        (warmingUp, seconds, left, requests, bytes, errors) -> {})
                .run(0);
        List<SizeResult> sizes = result.sizes();
        assertEquals(1, sizes.size());
        assertEquals(DOWNLOADS, sizes.get(0).downloads());
        assertEquals(DOWNLOADS, sizes.get(0).init().count());
        return sizes.get(0);
    }

    private static SizeResult download(TestServer.Behaviour behaviour) throws Exception {
        try (TestServer server = new TestServer(behaviour)) {
            return download(server.url("/"), Protocol.HTTP1);
        }
    }

    private static byte[] whole() {
        byte[] head = ("HTTP/1.1 200 OK\r\nContent-Length: " + BYTES + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(head.length + BYTES).put(head).array();
    }

    @Test
    void aFileThatCameByOneReadHasNone() throws Exception {
        SizeResult size = download((request, out, socket) -> out.write(whole()));
        assertNull(size.speed());
        assertNull(size.speedP1());
        assertNull(size.speedP50());
    }

    @Test
    void aFileThatCameInPartsHasOne() throws Exception {
        Semaphore taken = new Semaphore(0);
        SizeResult size;
        // The pause begins when the client has the first half: what it reads late would seem faster.
        try (TestServer server = new TestServer((request, out, socket) -> {
            byte[] whole = whole();
            int half = whole.length - BYTES / 2;
            taken.drainPermits();
            out.write(whole, 0, half);
            taken.acquireUninterruptibly();
            TestServer.takeTime(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
            out.write(whole, half, BYTES / 2);
        })) {
            size = download(server.url("/"), Protocol.HTTP1, new CellRunTest.Failing(0) {
                @Override
                public void body(byte[] bytes, int offset, int length) {
                    taken.release();
                }
            });
        }
        assertNotNull(size.speed());
        assertTrue(size.speed() > 0 && size.speed() <= BYTES / (PAUSE_MILLIS * 1000.0) * 1.1, size.toString());
        assertNotNull(size.speedP50());
    }

    @Test
    void inHttp2ToTheReadsCount() throws Exception {
        Handler handler = new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                // More than the client has room for is read in parts.
                boolean parts = request.getHttpURI().getPath().equals("/parts");
                response.write(true, ByteBuffer.allocate(parts ? 1000 * BYTES : BYTES), callback);
                return true;
            }
        };
        try (Http2TestServer server = Http2TestServer.clear(handler, 128)) {
            assertNotNull(download(server.url("/parts"), Protocol.H2C).speed());
            assertNull(download(server.url("/whole"), Protocol.H2C).speed());
        }
    }
}
