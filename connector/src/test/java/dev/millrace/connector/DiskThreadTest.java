package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.FileSource;
import dev.millrace.transfer.TransferEndPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.VirtualThreads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which thread waits for the disk: a virtual one would keep its carrier from all others. */
@Timeout(60)
class DiskThreadTest {
    private static final int BYTES = 2_000_000;
    private static final int PART_BYTES = 10_000;

    @TempDir
    Path directory;

    private final CompletableFuture<Throwable> ended = new CompletableFuture<>();
    private FileChannel file;

    @BeforeEach
    void needsVirtualThreads() {
        assumeTrue(VirtualThreads.areSupported(), "no virtual threads");
    }

    @AfterEach
    void close() {
        IO.close(file);
    }

    /** Sends small parts, and notes whether virtual threads send and read. */
    private final class Parts implements FileSource {
        private final List<Boolean> areVirtual = new CopyOnWriteArrayList<>();
        private final List<Boolean> areReadersVirtual = new CopyOnWriteArrayList<>();
        private boolean isFirstSlow;
        private boolean isRestLoadedThen;
        private @Nullable IOException failureElsewhere;

        @Override
        public FileChannel channel() {
            return file;
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
            onUse(areVirtual);
            if (isRestLoadedThen && areVirtual.size() == 1) {
                fill(BYTES);
            }
            return FileSource.super.transferTo(position, Math.min(count, PART_BYTES), target);
        }

        @Override
        public long call(Call call) throws IOException {
            onUse(areReadersVirtual);
            return FileSource.super.call(call);
        }

        private void onUse(List<Boolean> threads) throws IOException {
            threads.add(VirtualThreads.isVirtualThread());
            long begin = NanoTime.now();
            while (isFirstSlow && threads.size() == 1 && NanoTime.millisSince(begin) < 20) {
                Thread.onSpinWait();
            }
            if (failureElsewhere != null && !VirtualThreads.isVirtualThread()) {
                throw failureElsewhere;
            }
        }
    }

    private interface Connect {
        RawClient to(TestServer server) throws Exception;
    }

    private byte[] download(Parts parts, ByteBuffer token) throws Exception {
        return download(Connectors.BIO_VIRTUAL::http, TestServer::client, parts, token);
    }

    private byte[] downloadOverTls(Parts parts, ByteBuffer token) throws Exception {
        Tls keys = new Tls();
        return download(
                server -> Connectors.BIO_VIRTUAL.https(server, keys),
                server -> keys.connect(server.port()),
                parts,
                token);
    }

    private byte[] download(Function<Server, ServerConnector> connector, Connect connect, Parts parts, ByteBuffer token)
            throws Exception {
        Handlers.Handling answer = (request, response, callback) -> {
            TransferEndPoint endPoint = (TransferEndPoint) EndPoints.of(request);
            FileRegion region = new FileRegion(parts, 0, token, null, false, null);
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, token.remaining());
            endPoint.announce(region);
            response.write(
                    true,
                    token,
                    Callback.from(() -> endPoint.withdraw(region), Callback.from(callback, ended::complete)));
        };
        try (TestServer server = new TestServer(connector).start(Handlers.of(answer));
                RawClient client = connect.to(server)) {
            return client.get("/").answer().body();
        }
    }

    /** A hole of a file is not in memory. */
    private void openHole() throws IOException {
        TestFiles.resize(directory.resolve("hole.bin"), BYTES);
        file = FileChannel.open(directory.resolve("hole.bin"));
    }

    /** To read them would not do: where files lie in memory, a hole that was read stays one. */
    private void fill(int bytes) throws IOException {
        try (FileChannel writer = FileChannel.open(directory.resolve("hole.bin"), StandardOpenOption.WRITE)) {
            writer.write(ByteBuffer.allocate(bytes), 0);
        }
    }

    private ByteBuffer mapping() throws IOException {
        MappedByteBuffer mapping = file.map(FileChannel.MapMode.READ_ONLY, 0, BYTES);
        assumeFalse(mapping.isLoaded(), "the system does not tell what is in memory");
        return mapping;
    }

    @Test
    void whatIsNotInMemoryIsSentByAnotherThreadUntilManyPartsWereQuick() throws Exception {
        openHole();
        Parts parts = new Parts();
        // A part that the system interrupts looks like one from the disk, if the next ones are not in memory.
        parts.isRestLoadedThen = true;
        assertArrayEquals(new byte[BYTES], download(parts, mapping()));
        assertFalse(parts.areVirtual.get(0), parts.areVirtual::toString);
        assertTrue(parts.areVirtual.lastIndexOf(true) > 0, parts.areVirtual::toString);
    }

    @Test
    void behindASlowPartAnotherThreadSendsTheNextOneIfItIsNotInMemory() throws Exception {
        openHole();
        fill(1);
        Parts parts = new Parts();
        parts.isFirstSlow = true;
        assertArrayEquals(new byte[BYTES], download(parts, mapping()));
        assertEquals(List.of(true, false), parts.areVirtual.subList(0, 2), parts.areVirtual::toString);
    }

    /** The system may have interrupted the thread. */
    @Test
    void behindASlowPartTheSameThreadSendsTheNextOneIfItIsInMemory() throws Exception {
        byte[] content = TestFiles.write(directory, "file.bin", BYTES);
        file = FileChannel.open(directory.resolve("file.bin"));
        Parts parts = new Parts();
        parts.isFirstSlow = true;
        // Such a buffer counts as one that is in memory.
        assertArrayEquals(content, download(parts, ByteBuffer.allocateDirect(BYTES)));
        assertFalse(parts.areVirtual.contains(false), parts.areVirtual::toString);
    }

    @Test
    void overTlsAnotherThreadReadsWhatIsNotInMemory() throws Exception {
        openHole();
        Parts parts = new Parts();
        assertArrayEquals(new byte[BYTES], downloadOverTls(parts, mapping()));
        assertFalse(parts.areReadersVirtual.isEmpty());
        assertFalse(parts.areReadersVirtual.contains(true), parts.areReadersVirtual::toString);
    }

    @Test
    void overTlsBehindASlowPartAnotherThreadReadsTheNextOneIfItIsNotInMemory() throws Exception {
        openHole();
        fill(1);
        Parts parts = new Parts();
        parts.isFirstSlow = true;
        assertArrayEquals(new byte[BYTES], downloadOverTls(parts, mapping()));
        assertEquals(List.of(true, false), parts.areReadersVirtual.subList(0, 2), parts.areReadersVirtual::toString);
    }

    @Test
    void overTlsTheSameThreadReadsWhatIsInMemory() throws Exception {
        byte[] content = TestFiles.write(directory, "file.bin", BYTES);
        file = FileChannel.open(directory.resolve("file.bin"));
        Parts parts = new Parts();
        assertArrayEquals(content, downloadOverTls(parts, ByteBuffer.allocateDirect(BYTES)));
        assertFalse(parts.areReadersVirtual.isEmpty());
        assertFalse(parts.areReadersVirtual.contains(false), parts.areReadersVirtual::toString);
    }

    @Test
    void theFailureOfAnotherThreadEndsTheAnswer() throws Exception {
        openHole();
        Parts parts = new Parts();
        parts.failureElsewhere = new IOException("told by a test");
        assertThrows(IOException.class, () -> download(parts, mapping()));
        assertEndedBy(parts.failureElsewhere);
    }

    @Test
    void overTlsTheFailureOfAnotherThreadEndsTheAnswer() throws Exception {
        openHole();
        Parts parts = new Parts();
        parts.failureElsewhere = new IOException("told by a test");
        assertThrows(IOException.class, () -> downloadOverTls(parts, mapping()));
        assertEndedBy(parts.failureElsewhere);
    }

    private void assertEndedBy(Throwable expected) throws Exception {
        Throwable failure = ended.get(30, TimeUnit.SECONDS);
        Throwable first = failure;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        assertSame(expected, first, failure::toString);
    }
}
