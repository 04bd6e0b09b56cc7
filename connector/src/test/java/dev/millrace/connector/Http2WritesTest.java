package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerConnection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.BufferUtil;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class Http2WritesTest {
    private static final int FRAME_HEAD_BYTES = 9;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int CONTENT_BYTES = 1_000_000;

    @TempDir
    Path directory;

    /** What each call has got onto the socket. */
    private final Queue<ByteBuffer> written = new ConcurrentLinkedQueue<>();

    private long record(GatheringByteChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes)
            throws IOException {
        ByteBuffer copy = ByteBuffer.allocate((int) BufferUtil.remaining(buffers));
        for (int i = from; i < to; i++) {
            copy.put(buffers[i].duplicate());
        }
        long bytes = GatherWriter.INSTANCE.write(channel, buffers, from, to, mostBytes);
        written.add(copy.flip().limit((int) bytes));
        return bytes;
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void collectsFramesForOneWrite(Connectors connectors) throws Exception {
        AtomicInteger threshold = new AtomicInteger();
        TestServer plain = new TestServer(connectors::http2);
        try (TestServer server = plain.start(Handlers.of((request, response, callback) -> {
                    HTTP2ServerConnection connection = (HTTP2ServerConnection)
                            request.getConnectionMetaData().getConnection();
                    threshold.set(connection.getSession().getWriteThreshold());
                    Content.Sink.write(response, true, "fine", callback);
                }));
                RawClient client = server.client()) {
            assertEquals("fine", new Http2Frames(client).get("/").content());
            assertEquals(128 * 1024, threshold.get());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void sendsHeadersAndContentOfAFileByOneWrite(Connectors connectors) throws Exception {
        TestFiles.write(directory, "content", CONTENT_BYTES);
        // A block of a copied file, and no less.
        assertEquals(4, framesBehindHeaders(connectors, Handlers.files(directory)));
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void sendsHeadersAndContentInMemoryByOneWrite(Connectors connectors) throws Exception {
        TestFiles.write(directory, "content", CONTENT_BYTES);
        // Of 16 KiB, until the threshold is passed.
        assertEquals(
                8, framesBehindHeaders(connectors, Handlers.bytes(Files.readAllBytes(directory.resolve("content")))));
    }

    /** How many whole frames of content left by the write that the headers of the answer left by. */
    private int framesBehindHeaders(Connectors connectors, Handler handler) throws Exception {
        TestServer plain = new TestServer(connectors::http2);
        plain.millrace().setContentWriterFactory(pool -> this::record);
        // The socket is to take all of a write.
        plain.connector().setAcceptedSendBufferSize(CONTENT_BYTES);
        try (TestServer server = plain.start(handler);
                RawClient client = server.client()) {
            assertArrayEquals(
                    Files.readAllBytes(directory.resolve("content")),
                    new Http2Frames(client).openWindows().get("/content").contentBytes());
        }
        for (ByteBuffer write : written) {
            List<Integer> types = types(write);
            int headers = types.indexOf(HEADERS);
            if (headers >= 0) {
                return Collections.frequency(types.subList(headers, types.size()), DATA);
            }
        }
        return 0;
    }

    /** Of the frames that a write begins with, and has whole. */
    private static List<Integer> types(ByteBuffer write) {
        List<Integer> types = new ArrayList<>();
        while (write.remaining() >= FRAME_HEAD_BYTES) {
            int lengthAndType = write.getInt(write.position());
            int bytes = FRAME_HEAD_BYTES + (lengthAndType >>> 8);
            if (bytes > write.remaining()) {
                break;
            }
            types.add(lengthAndType & 0xff);
            write.position(write.position() + bytes);
        }
        return types;
    }
}
