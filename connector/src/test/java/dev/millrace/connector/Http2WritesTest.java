package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerConnection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.NanoTime;
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
    /** More than the cache of contents takes. */
    private static final int LARGE_CONTENT_BYTES = 2 * 1024 * 1024;
    /** Of a write that takes longer a connection learns that its peer is slow. */
    private static final long SLOW_MILLIS = 100;

    private static final int MOST_ATTEMPTS = 20;

    @TempDir
    Path directory;

    /** What each call has got onto the socket. */
    private final Queue<ByteBuffer> written = new ConcurrentLinkedQueue<>();

    /** How many bytes each call was to get onto the socket, noted before the peer can have them. */
    private final Queue<Long> offered = new ConcurrentLinkedQueue<>();

    private volatile long lastOfferNanoTime;
    /** Whether so much time has passed between two calls that a write may have been a slow one. */
    private volatile boolean stoodStill;

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

    private long offer(GatheringByteChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes)
            throws IOException {
        long now = NanoTime.now();
        if (NanoTime.millisElapsed(lastOfferNanoTime, now) >= SLOW_MILLIS) {
            stoodStill = true;
        }
        lastOfferNanoTime = now;
        offered.add(Math.min(mostBytes, BufferUtil.remaining(Arrays.copyOfRange(buffers, from, to))));
        return GatherWriter.INSTANCE.write(channel, buffers, from, to, mostBytes);
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

    /** As without TLS, and not by one record after the other. */
    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void sendsEachBlockOfAFileByOneWriteOverTls(Connectors connectors) throws Exception {
        TestFiles.write(directory, "content", LARGE_CONTENT_BYTES);
        assertWritesOverTls(connectors, Handlers.files(directory), 64 * 1024);
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void sendsContentInMemoryByFewWritesOverTls(Connectors connectors) throws Exception {
        byte[] content = TestFiles.write(directory, "content", LARGE_CONTENT_BYTES);
        assertWritesOverTls(connectors, Handlers.bytes(content), 128 * 1024);
    }

    /** The headers and this much of the content are offered to the socket at once, and then as much again and again. */
    private void assertWritesOverTls(Connectors connectors, Handler handler, int bytes) throws Exception {
        Tls tls = new Tls();
        TestServer secure = new TestServer(server -> connectors.http2(server, tls));
        secure.millrace().setContentWriterFactory(pool -> this::offer);
        try (TestServer server = secure.start(handler);
                RawClient client = tls.over(new Socket("127.0.0.1", server.port()), "h2")) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            byte[] content = Files.readAllBytes(directory.resolve("content"));
            int attempts = 0;
            do {
                stoodStill = false;
                lastOfferNanoTime = NanoTime.now();
                // Behind this one are handshake and settings, and the small batches that follow a slow write.
                frames.get("/content").contentBytes();
                offered.clear();
                assertArrayEquals(content, frames.get("/content").contentBytes());
                attempts++;
            } while (stoodStill && attempts < MOST_ATTEMPTS);
        }
        assertTrue(offered.element() > bytes, offered::toString);
        // What the socket does not take is offered again.
        long large = offered.stream().filter(one -> one > bytes).count();
        assertTrue(large >= LARGE_CONTENT_BYTES / bytes, offered::toString);
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
