package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.TransferStatistics;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Content from memory, whatever the way it is written and the peer takes it. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class ContentWriterContractTest {
    private static final byte[] CONTENT = RandomBytes.of(6_000_003);

    @Parameter
    Connectors connectors;

    /** /heap/N or /direct/N: N bytes in one write; /pieces/N: a heap and a direct piece in turn. */
    private final Handler bytes = Handlers.of((request, response, callback) -> {
        String[] path = Request.getPathInContext(request).split("/");
        int size = Integer.parseInt(path[2]);
        response.getHeaders().put("Content-Length", size);
        if (path[1].equals("pieces")) {
            int half = size / 2;
            response.write(
                    false,
                    ByteBuffer.wrap(CONTENT, 0, half),
                    Callback.from(() -> response.write(true, direct(half, size - half), callback), callback::failed));
        } else {
            response.write(
                    true, path[1].equals("heap") ? ByteBuffer.wrap(CONTENT, 0, size) : direct(0, size), callback);
        }
    });

    private static ByteBuffer direct(int from, int size) {
        return ByteBuffer.allocateDirect(size).put(CONTENT, from, size).flip();
    }

    private static void check(RawClient client, String kind, int size) throws Exception {
        byte[] body = client.get("/" + kind + "/" + size).answer().body();
        assertArrayEquals(java.util.Arrays.copyOf(CONTENT, size), body, kind + "/" + size);
    }

    @Test
    void sendsTheRightBytes() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(bytes);
                RawClient client = new RawClient(server.port(), 16 * 1024)) {
            for (String kind : new String[] {"heap", "direct", "pieces"}) {
                for (int size : new int[] {1, 1000, 65_536, 70_001, 300_000, CONTENT.length}) {
                    check(client, kind, size);
                }
            }
            TransferStatistics statistics = server.transfers();
            Await.until("counted", () -> statistics.getCopiedBytes() > 3L * CONTENT.length);
        }
    }

    @Test
    void takesAWriterOfYourOwn() throws Exception {
        LongAdder calls = new LongAdder();
        TestServer server = new TestServer(connectors::http);
        server.millrace().setContentWriterFactory(pool -> (channel, buffers, from, to, mostBytes) -> {
            calls.increment();
            return GatherWriter.INSTANCE.write(channel, buffers, from, from + 1, mostBytes);
        });
        try (server;
                RawClient client = server.start(bytes).client()) {
            check(client, "heap", 100_000);
            assertTrue(calls.sum() >= 2, "calls " + calls);
            Await.until("counted", () -> server.transfers().getCopiedBytes() > 100_000);
        }
    }

    @Test
    void sendsAHeadAndItsContentByOneCall() throws Exception {
        List<Integer> buffersAtOnce = new CopyOnWriteArrayList<>();
        TestServer server = new TestServer(connectors::http);
        server.millrace().setContentWriterFactory(pool -> {
            return (channel, buffers, from, to, mostBytes) -> {
                buffersAtOnce.add(to - from);
                return GatherWriter.INSTANCE.write(channel, buffers, from, to, mostBytes);
            };
        });
        try (server;
                RawClient client = server.start(bytes).client()) {
            for (int i = 0; i < 10; i++) {
                check(client, i % 2 == 0 ? "heap" : "direct", 1000);
            }
            assertEquals(Collections.nCopies(10, 2), buffersAtOnce);
        }
    }
}
