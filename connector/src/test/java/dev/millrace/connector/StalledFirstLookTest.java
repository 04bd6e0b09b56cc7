package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.FileSource;
import dev.millrace.transfer.TransferEndPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who gives a write up, the scheduler's one thread maybe, does not wait for a disk that does not answer. */
@Timeout(60)
class StalledFirstLookTest {
    static Stream<Connectors> blocking() {
        return Connectors.ours().filter(c -> c == Connectors.BIO_PLATFORM || c == Connectors.BIO_VIRTUAL);
    }

    /** A file of which the first look, by which it is known again, waits for the disk. */
    private static final class Stalled implements FileSource {
        private final CountDownLatch looked = new CountDownLatch(1);
        private final CountDownLatch answers = new CountDownLatch(1);

        @Override
        public FileChannel channel() throws IOException {
            throw new IOException("not opened by the test");
        }

        @Override
        public void onBegin(long from, long to, boolean isLate) {
            looked.countDown();
            try {
                assertTrue(answers.await(30, TimeUnit.SECONDS));
            } catch (InterruptedException x) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) {
            return count;
        }
    }

    @ParameterizedTest
    @MethodSource("blocking")
    void whoGivesAWriteUpDoesNotWaitForTheFirstLookAtAFile(Connectors connectors) throws Exception {
        PassiveProtocol protocol = new PassiveProtocol();
        TestServer server = new TestServer(s -> connectors.on(s, protocol));
        Stalled file = new Stalled();
        try (server;
                RawClient client = server.start(null).client()) {
            EndPoint endPoint = protocol.awaitOpened().getEndPoint();
            FileRegion region = new FileRegion(file, 0, ByteBuffer.allocate(100), null, false, null);
            ((TransferEndPoint) endPoint).announce(region);
            Callback.Completable written = new Callback.Completable();
            endPoint.write(written, BufferUtil.toBuffer("the header"), region.token());
            assertTrue(file.looked.await(30, TimeUnit.SECONDS));
            CompletableFuture<Callback> cancelled =
                    CompletableFuture.supplyAsync(() -> endPoint.cancelWrite(new IOException("expected by the test")));
            try {
                assertNull(cancelled.get(5, TimeUnit.SECONDS));
            } finally {
                file.answers.countDown();
            }
            assertTrue(written.handle((done, cause) -> cause != null).get(30, TimeUnit.SECONDS));
            assertFalse(endPoint.isOpen());
            assertEquals(0, client.in().readAllBytes().length, "wrote a header that was given back");
            ((TransferEndPoint) endPoint).withdraw(region);
        }
    }
}
