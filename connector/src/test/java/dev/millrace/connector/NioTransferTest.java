package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.TestFiles;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.FileSource;
import dev.millrace.transfer.TransferAlgorithm;
import dev.millrace.transfer.TransferStatistics;
import dev.millrace.transfer.TransferWorkers;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A transfer's turn ends though the client would take more, when other transfers wait for a worker, or when it is cancelled. */
@Timeout(60)
class NioTransferTest {
    private static final int FILE_BYTES = 20_000_000;

    @TempDir
    Path directory;

    private final TransferWorkers workers = new TransferWorkers();
    private final CountDownLatch busy = new CountDownLatch(1);
    private final TransferStatistics statistics = new TransferStatistics();
    private NioTransfer transfer;

    /** Sends the region alone; the test gives the turns. */
    private final class RegionEndPoint extends MillraceEndPoint {
        private RegionEndPoint(SocketChannel channel) throws IOException {
            super(channel, null, null, new ScheduledExecutorScheduler(), GatherWriter.INSTANCE);
        }

        @Override
        Thread handlingThread() {
            return null;
        }

        @Override
        public void announce(FileRegion region) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void withdraw(FileRegion region) {
            throw new UnsupportedOperationException();
        }

        @Override
        public TransferStatistics getTransferStatistics() {
            return statistics;
        }

        @Override
        public boolean isWritePending() {
            return getWriteFlusher().isPending();
        }

        @Override
        public boolean flush(ByteBuffer... buffers) throws IOException {
            return transfer.send(null);
        }

        @Override
        protected void onIncompleteFlush() {
            // No selector, and no worker before the test says so.
        }
    }

    private void crowd() throws Exception {
        workers.setWorkers(1);
        workers.start();
        for (int i = 0; i < 2; i++) {
            workers.execute(() -> {
                try {
                    busy.await();
                } catch (InterruptedException x) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        Await.until("a transfer waits for a worker", workers::isCrowded);
    }

    @AfterEach
    void stop() throws Exception {
        busy.countDown();
        workers.stop();
    }

    private static void takeAll(Socket socket) {
        try (InputStream in = socket.getInputStream()) {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    /** Gives the turns of a transfer. */
    private interface Turns {
        void of(FileRegion region, RegionEndPoint endPoint) throws Exception;
    }

    /** Over a socket that blocks, so that it is never full. */
    private void transfer(String algorithm, UnaryOperator<FileSource> source, Turns turns) throws Exception {
        Path file = directory.resolve("sparse.bin");
        TestFiles.resize(file, FILE_BYTES);
        try (FileChannel channel = FileChannel.open(file);
                ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
                SocketChannel socket = SocketChannel.open(listener.getLocalAddress());
                SocketChannel client = listener.accept()) {
            CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> takeAll(client.socket()));
            MappedByteBuffer token = channel.map(MapMode.READ_ONLY, 0, FILE_BYTES);
            FileRegion region = new FileRegion(source.apply(() -> channel), 0, token, null, false, null);
            RegionEndPoint endPoint = new RegionEndPoint(socket);
            transfer = new NioTransfer(
                    endPoint,
                    region,
                    region.announced(TransferAlgorithm.of(algorithm), statistics)
                            .newPolicy(),
                    workers,
                    new SelectorExecutor(Runnable::run, new ScheduledExecutorScheduler(), "none"),
                    Runnable::run);
            endPoint.write(Callback.NOOP, region.token());
            turns.of(region, endPoint);
            socket.close();
            reader.get(30, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @CsvSource({"EqualNonBlocking,2097152", "Adaptive,2097152", "EqualBlocking(100000),100000"})
    void endsATurnAtItsBound(String algorithm, int turnBytes) throws Exception {
        crowd();
        transfer(algorithm, file -> file, (region, endPoint) -> {
            for (int turn = 1; turn <= 3; turn++) {
                assertEquals((long) turn * turnBytes, region.sent());
                assertEquals((long) turn * turnBytes, endPoint.getSentBytes());
                assertEquals(turn, statistics.getTurns());
                assertTrue(transfer.isQueued());
                transfer.run();
            }
        });
    }

    /** Cancels the transfer while its third part is sent. */
    private final class Cancelling implements FileSource {
        private final FileSource file;
        private int calls;

        private Cancelling(FileSource file) {
            this.file = file;
        }

        @Override
        public FileChannel channel() throws IOException {
            return file.channel();
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
            if (++calls == 3) {
                transfer.cancel();
            }
            return file.transferTo(position, count, target);
        }
    }

    /** A worker would go on to the end of the file: nobody else wants it. */
    @Test
    void endsATurnThatIsCancelled() throws Exception {
        transfer("Adaptive", Cancelling::new, (region, endPoint) -> {
            transfer.run();
            assertEquals(3 * TransferAlgorithm.TURN_BYTES, region.sent());
        });
    }
}
