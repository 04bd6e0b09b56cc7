package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.jetty.JettyInternals;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A file over TLS whose write is given up ends with the part that is being encrypted, however much the peer takes. The thread that gives it
 * up spins until then.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@Timeout(60)
class CancelledTlsFileTest {
    /** As many as a socket takes at once, whatever its peer does. */
    private static final int RECORDS = 5;

    private static final int CANCELLED_IN = 2;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final AtomicInteger reads = new AtomicInteger();
    private final CompletableFuture<Integer> left = new CompletableFuture<>();

    /** Has another thread give the write up while the second record is read, and goes on when that thread waits. */
    private FileChannel read(FileChannel file, SslConnection.SslEndPoint decrypted, FileRegion region) {
        if (reads.incrementAndGet() == CANCELLED_IN) {
            IOException enough = new IOException("enough");
            Thread cancelling = new Thread(() -> {
                Callback pending = decrypted.cancelWrite(enough);
                left.complete(region.remaining());
                if (pending != null) {
                    pending.failed(enough);
                }
            });
            cancelling.start();
            Await.until("given up", () -> JettyInternals.isGivenUp(decrypted));
        }
        return file;
    }

    private Handler cancelled(FileChannel file) {
        return Handlers.of((request, response, callback) -> {
            var decrypted = (SslConnection.SslEndPoint) EndPoints.of(request);
            var endPoint = (TransferEndPoint) decrypted;
            int bytes = RECORDS * TlsMemory.RECORD_BYTES;
            ByteBuffer token = ByteBuffer.allocateDirect(bytes);
            CompletableFuture<FileRegion> announced = new CompletableFuture<>();
            FileSource source = () -> read(file, decrypted, Objects.requireNonNull(announced.getNow(null)));
            FileRegion region = new FileRegion(source, 0, token, null, null, false);
            announced.complete(region);
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes);
            endPoint.announce(region);
            response.write(true, token, Callback.from(() -> endPoint.withdraw(region), callback));
        });
    }

    @Test
    void sendsNoMoreThanTheRecordThatIsRead() throws Exception {
        TestFiles.write(directory, "file.bin", RECORDS * TlsMemory.RECORD_BYTES);
        Tls tls = new Tls();
        // One record at a time, so that the file takes several rounds and yet little room.
        TlsConnectionFactory ssl = new TlsConnectionFactory(tls.server(), "http/1.1", new TlsMemory(0));
        try (FileChannel file = FileChannel.open(directory.resolve("file.bin"));
                TestServer server =
                        new TestServer(s -> connectors.on(s, ssl, new HttpConnectionFactory())).start(cancelled(file));
                RawClient client = tls.connect(server.port()).get("/")) {
            assertTrue(left.get(30, TimeUnit.SECONDS) > 0, "all was sent");
            assertEquals(CANCELLED_IN, reads.get());
            client.readToEnd();
        }
    }
}
