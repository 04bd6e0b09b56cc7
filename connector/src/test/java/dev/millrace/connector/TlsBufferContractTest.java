package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Tls;
import dev.millrace.testing.TlsRecords;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * TLS gives its buffer back when it ends, and another connection may have it at once: a thread that still writes must
 * not touch it.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class TlsBufferContractTest {
    @Parameter
    Connectors connectors;

    private final GivenBack pool = new GivenBack();
    private final CompletableFuture<SslConnection.SslEndPoint> endPoint = new CompletableFuture<>();
    private final CompletableFuture<Callback> callback = new CompletableFuture<>();

    /** A pool without pooling: what is given back is as if somebody had taken it in the same instant. */
    private static final class GivenBack extends ByteBufferPool.NonPooling {
        private final Queue<ByteBuffer> buffers = new ConcurrentLinkedQueue<>();

        @Override
        public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
            ByteBuffer buffer = (direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size)).limit(0);
            return RetainableByteBuffer.wrap(buffer, () -> buffers.add(buffer.clear()));
        }

        void assertUntouched() {
            assertFalse(buffers.isEmpty());
            for (ByteBuffer buffer : buffers) {
                assertEquals(0, buffer.position());
                assertEquals(buffer.capacity(), buffer.limit());
            }
        }
    }

    private final Handler held = Handlers.of((request, response, completion) -> {
        callback.complete(completion);
        endPoint.complete((SslConnection.SslEndPoint) EndPoints.of(request));
    });

    @Test
    void leavesABufferAloneThatWasGivenBackInTheMiddleOfAWrite() throws Exception {
        Tls tls = new Tls();
        Server server = new Server(new QueuedThreadPool(), null, pool);
        ServerConnector connector = connectors.https(server, tls);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(held);
        server.start();
        try (RawClient client =
                tls.over(new TlsRecords(connector.getLocalPort())).get("/")) {
            SslConnection.SslEndPoint decrypted = endPoint.get(30, TimeUnit.SECONDS);
            AbstractEndPoint encrypted =
                    (AbstractEndPoint) decrypted.getSslConnection().getEndPoint();
            Callback.Completable written = new Callback.Completable();
            decrypted.write(written, ByteBuffer.allocate(32_000_000));
            Await.until("nothing taken any more", () -> encrypted.getIdleFor() > 200);
            decrypted.close();
            written.handle((done, cause) -> cause).get(30, TimeUnit.SECONDS);
            callback.get().failed(new java.io.IOException("the connection is gone"));
        } finally {
            server.stop();
        }
        pool.assertUntouched();
    }
}
