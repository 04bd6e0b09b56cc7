package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
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
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.VirtualThreads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A file over TLS whose write is given up ends with the part that is being read, however much the peer takes. The thread that gives it up
 * waits for that, and does not spin: a slow disk may take long.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@Timeout(60)
class CancelledTlsFileTest {
    /** As many as a socket takes at once, whatever its peer does. */
    private static final int RECORDS = 5;

    private static final int CANCELLED_IN = 2;
    private static final long BUSY_MILLIS = 100;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final AtomicInteger reads = new AtomicInteger();
    /** Writes without content, by which TLS has its own writing thread go on. */
    private final AtomicInteger emptyWrites = new AtomicInteger();

    private final CompletableFuture<Integer> left = new CompletableFuture<>();
    private @Nullable Executor virtual;

    /** Has another thread give the write up while the second record is read, and goes on when that thread waits. */
    private FileChannel read(FileChannel file, SslConnection.SslEndPoint decrypted, FileRegion region) {
        if (reads.incrementAndGet() == CANCELLED_IN) {
            Runnable cancel = () -> cancel(decrypted, region);
            if (virtual == null) {
                Thread cancelling = new Thread(cancel);
                cancelling.start();
                Await.until("waits", () -> cancelling.getState() == Thread.State.TIMED_WAITING);
            } else {
                CompletableFuture<Thread> started = new CompletableFuture<>();
                virtual.execute(() -> {
                    started.complete(Thread.currentThread());
                    cancel.run();
                });
                Thread cancelling = started.join();
                Await.until("waits", () -> cancelling.getState() == Thread.State.TIMED_WAITING);
                keepCarriersBusy();
            }
        }
        return file;
    }

    // For longer than a thread needs to fill its stack.
    private void keepCarriersBusy() {
        int carriers = Runtime.getRuntime().availableProcessors();
        CountDownLatch busy = new CountDownLatch(carriers);
        for (int i = 0; i < carriers; i++) {
            virtual.execute(() -> {
                busy.countDown();
                for (long begin = NanoTime.now(); NanoTime.millisSince(begin) < BUSY_MILLIS; ) {
                    Thread.onSpinWait();
                }
            });
        }
        Await.until("busy", () -> busy.getCount() == 0);
    }

    private void cancel(SslConnection.SslEndPoint decrypted, FileRegion region) {
        IOException enough = new IOException("enough");
        Callback pending = decrypted.cancelWrite(enough);
        left.complete(region.remaining());
        if (pending != null) {
            pending.failed(enough);
        }
    }

    /** Makes connections of TLS whose writes of nothing are counted. */
    private final class Counting extends AbstractConnectionFactory {
        private Counting() {
            super("counting");
        }

        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            EndPoint counted =
                    new ProxyConnectionFactory.ProxyEndPoint(
                            endPoint, endPoint.getLocalSocketAddress(), endPoint.getRemoteSocketAddress()) {
                        @Override
                        public void write(Callback callback, ByteBuffer... buffers) {
                            if (BufferUtil.isEmpty(buffers)) {
                                emptyWrites.incrementAndGet();
                            }
                            super.write(callback, buffers);
                        }
                    };
            return connector.getConnectionFactory(TlsConnectionFactory.class).newConnection(connector, counted);
        }
    }

    private Handler cancelled(FileChannel file) {
        return Handlers.of((request, response, callback) -> {
            var decrypted = (SslConnection.SslEndPoint) EndPoints.of(request);
            var endPoint = (TransferEndPoint) decrypted;
            int bytes = RECORDS * TlsMemory.RECORD_BYTES;
            ByteBuffer token = ByteBuffer.allocateDirect(bytes);
            CompletableFuture<FileRegion> announced = new CompletableFuture<>();
            FileSource source = () -> read(file, decrypted, Objects.requireNonNull(announced.getNow(null)));
            FileRegion region = new FileRegion(source, 0, token, null, false, null);
            announced.complete(region);
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes);
            endPoint.announce(region);
            response.write(true, token, Callback.from(() -> endPoint.withdraw(region), callback));
        });
    }

    @Test
    void sendsNoMoreThanTheRecordThatIsRead() throws Exception {
        sendThatRecord();
    }

    /** The thread that writes waits for it. It must not write nothing meanwhile, in ever more calls. */
    @Test
    void aVirtualThreadMayGiveItUp() throws Exception {
        assumeTrue(connectors.name().startsWith("NIO"), "a blocking write has ended by then");
        assumeTrue(VirtualThreads.areSupported());
        virtual = VirtualThreads.getDefaultVirtualThreadsExecutor();
        sendThatRecord();
        assertEquals(0, emptyWrites.get());
    }

    private void sendThatRecord() throws Exception {
        TestFiles.write(directory, "file.bin", RECORDS * TlsMemory.RECORD_BYTES);
        Tls tls = new Tls();
        // One record at a time, so that the file takes several rounds and yet little room.
        TlsConnectionFactory ssl = new TlsConnectionFactory(tls.server(), "http/1.1", new TlsMemory(0));
        try (FileChannel file = FileChannel.open(directory.resolve("file.bin"));
                TestServer server = new TestServer(
                                s -> connectors.on(s, new Counting(), ssl, new HttpConnectionFactory()))
                        .start(cancelled(file));
                RawClient client = tls.connect(server.port()).get("/")) {
            assertTrue(left.get(30, TimeUnit.SECONDS) > 0, "all was sent");
            assertEquals(CANCELLED_IN, reads.get());
            client.readToEnd();
        }
    }
}
