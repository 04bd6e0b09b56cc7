package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.StalledDisk;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.FileSource;
import dev.millrace.transfer.TransferAlgorithm;
import dev.millrace.transfer.TransferEndPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread in the middle of a transfer waits for the disk: nobody else does, nor is the peer to blame. */
@Timeout(60)
class StalledDiskTest {
    private static final int BYTES = 8_000_000;
    /** Less than a turn of the selector's thread. */
    private static final int FIRST_BYTES = 100_000;

    @TempDir
    Path directory;

    private byte[] content;
    private FileChannel file;
    private StalledDisk disk;

    @BeforeEach
    void open() throws IOException {
        content = TestFiles.write(directory, "file.bin", BYTES);
        file = FileChannel.open(directory.resolve("file.bin"));
        disk = new StalledDisk(file);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    /** A file for which the socket has no room at first. The token of a test is in memory: so the selector's thread goes on. */
    private static final class Parked implements FileSource {
        private final FileSource file;
        private final CountDownLatch mayGoOn;
        private final CompletableFuture<Thread> goingOn = new CompletableFuture<>();
        private final CompletableFuture<Thread> begun = new CompletableFuture<>();
        private boolean isFull = true;

        private Parked(FileSource file, CountDownLatch mayGoOn) {
            this.file = file;
            this.mayGoOn = mayGoOn;
        }

        @Override
        public FileChannel channel() throws IOException {
            return file.channel();
        }

        @Override
        public void onBegin(long from, long to, boolean isLate) {
            begun.complete(Thread.currentThread());
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
            if (isFull) {
                isFull = false;
                return 0;
            }
            goingOn.complete(Thread.currentThread());
            try {
                mayGoOn.await();
            } catch (InterruptedException x) {
                throw new IOException(x);
            }
            return file.transferTo(position, count, target);
        }
    }

    /** /file: as told; /other: the file, from a disk that does not stall; else a short answer. */
    private Handler orOthers(Handler answer) {
        Handler hello = Handlers.hello();
        Handler other = Handlers.region(() -> file, BYTES);
        return Handlers.blockingAround(
                hello,
                (request, response, callback) -> (switch (Request.getPathInContext(request)) {
                            case "/file" -> answer;
                            case "/other" -> other;
                            default -> hello;
                        })
                        .handle(request, response, callback));
    }

    private static void send(Request request, Response response, FileRegion region, boolean last, Callback callback) {
        TransferEndPoint endPoint = (TransferEndPoint) EndPoints.of(request);
        endPoint.announce(region);
        response.write(
                last,
                region.token(),
                Callback.from(
                        Invocable.InvocationType.NON_BLOCKING,
                        () -> {
                            endPoint.withdraw(region);
                            callback.succeeded();
                        },
                        cause -> {
                            endPoint.withdraw(region);
                            callback.failed(cause);
                        }));
    }

    private static FileRegion region(FileSource file, int begin, int end) {
        return new FileRegion(file, begin, ByteBuffer.allocateDirect(end - begin), null, false, null);
    }

    private void assertServesOthers(String dispatch, Handler handler, CompletableFuture<Thread> goingOn)
            throws Exception {
        TestServer server = new TestServer(s -> {
            NioConnector connector = new NioConnector(
                    s, null, new SelectorDispatchTest.ShortLooks(), null, 1, 1, new HttpConnectionFactory());
            connector.setDispatch(dispatch);
            connector.setAlgorithm("EqualNonBlocking");
            return connector;
        });
        try (server;
                RawClient client = server.start(orOthers(handler)).client();
                StalledDisk stalled = disk) {
            client.get("/file");
            assertSame(goingOn.get(30, TimeUnit.SECONDS), stalled.waiting().get(30, TimeUnit.SECONDS));
            assertEquals(1, server.transfers().getSelectorTurns());
            try (RawClient other = server.client()) {
                assertEquals(Handlers.HELLO, other.get("/").answer().text());
                // In many turns, while the first client's is not at its end.
                assertArrayEquals(content, other.get("/other").answer().body());
            }
            stalled.close();
            assertArrayEquals(content, client.answer().body());
        }
    }

    /** The system says that the file is in memory, as it does of each that the process may not write. */
    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "selector", "handoff"})
    void servesOthersWhileTheSelectorsThreadWaits(String dispatch) throws Exception {
        Parked parked = new Parked(disk.stall(), new CountDownLatch(0));
        assertServesOthers(dispatch, Handlers.region(parked, BYTES), parked.goingOn);
    }

    /** The thread that has sent a part begins the next one, as the next of several ranges, and nobody is asked about it. */
    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "selector", "handoff"})
    void servesOthersWhileTheSelectorsThreadWaitsForTheNextPart(String dispatch) throws Exception {
        // What follows a write is done by the thread that began it, as long as that is still about to leave it.
        CountDownLatch written = new CountDownLatch(1);
        Parked parked = new Parked(() -> file, written);
        FileRegion first = region(parked, 0, FIRST_BYTES);
        FileRegion second = region(disk.stall(), FIRST_BYTES, BYTES);
        Handler parts = Handlers.of((request, response, callback) -> {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, BYTES);
            Callback next = Callback.from(() -> send(request, response, second, true, callback), callback::failed);
            send(request, response, first, false, next);
            written.countDown();
        });
        assertServesOthers(dispatch, parts, parked.goingOn);
    }

    /** Without looks, after which another thread would select, and with no thread that stands ready to do so. */
    private static TestServer server(String dispatch) {
        TestServer server = new TestServer(s -> {
            NioConnector connector =
                    new NioConnector(s, null, new LeftSelectorTest.NoLooks(), null, 1, 1, new HttpConnectionFactory());
            connector.setDispatch(dispatch);
            connector.setAlgorithm("EqualNonBlocking");
            return connector;
        });
        ((QueuedThreadPool) server.server().getThreadPool()).setReservedThreads(0);
        return server;
    }

    private MappedByteBuffer mappedHole() throws IOException {
        TestFiles.resize(directory.resolve("hole.bin"), BYTES);
        try (FileChannel hole = FileChannel.open(directory.resolve("hole.bin"))) {
            MappedByteBuffer mapping = hole.map(FileChannel.MapMode.READ_ONLY, 0, BYTES);
            assumeFalse(mapping.isLoaded(), "the system does not tell what is in memory");
            return mapping;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "selector, BLOCKING, false", "selector, BLOCKING, true",
        "adaptive, NON_BLOCKING, false", "adaptive, NON_BLOCKING, true",
        "adaptive, EITHER, false", "adaptive, EITHER, true"
    })
    void theThreadThatSelectsSendsOnlyWhatIsInMemory(String dispatch, Invocable.InvocationType type, boolean isInMemory)
            throws Exception {
        CompletableFuture<Thread> handling = new CompletableFuture<>();
        Parked sent = new Parked(() -> file, new CountDownLatch(0));
        sent.isFull = false;
        ByteBuffer token = isInMemory ? ByteBuffer.allocateDirect(BYTES) : mappedHole();
        FileRegion region = new FileRegion(sent, 0, token, null, false, null);
        Handler answer = Handlers.of(type, (request, response, callback) -> {
            handling.complete(Thread.currentThread());
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, BYTES);
            send(request, response, region, true, callback);
        });
        try (TestServer server = server(dispatch).start(answer);
                RawClient client = server.client()) {
            assertArrayEquals(content, client.get("/").answer().body());
        }
        assertEquals(isInMemory, handling.join() == sent.goingOn.join());
        // By what is read then the file is known again.
        assertEquals(isInMemory, handling.join() == sent.begun.join());
    }

    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "selector", "handoff"})
    void theThreadThatSelectsLeavesTheNextPartToAWorkerIfItIsNotInMemory(String dispatch) throws Exception {
        CountDownLatch written = new CountDownLatch(1);
        Parked first = new Parked(() -> file, written);
        Parked second = new Parked(() -> file, new CountDownLatch(0));
        second.isFull = false;
        ByteBuffer token = mappedHole().position(FIRST_BYTES).slice();
        FileRegion last = new FileRegion(second, FIRST_BYTES, token, null, false, null);
        Handler parts = Handlers.of((request, response, callback) -> {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, BYTES);
            Callback next = Callback.from(() -> send(request, response, last, true, callback), callback::failed);
            send(request, response, region(first, 0, FIRST_BYTES), false, next);
            written.countDown();
        });
        try (TestServer server = server(dispatch).start(parts);
                RawClient client = server.client()) {
            assertArrayEquals(content, client.get("/").answer().body());
            assertEquals(1, server.transfers().getSelectorTurns());
        }
        assertNotSame(first.goingOn.join(), second.goingOn.join());
    }

    /** The answer waits for the request's content, with a callback that declares not to block. */
    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "selector", "handoff"})
    void theThreadThatSelectsLeavesAFileBehindContentToAWorkerIfItIsNotInMemory(String dispatch) throws Exception {
        CompletableFuture<Thread> reading = new CompletableFuture<>();
        CountDownLatch demanded = new CountDownLatch(1);
        Parked sent = new Parked(() -> file, new CountDownLatch(0));
        sent.isFull = false;
        FileRegion region = new FileRegion(sent, 0, mappedHole(), null, false, null);
        Handler answer = Handlers.of(Invocable.InvocationType.NON_BLOCKING, (request, response, callback) -> {
            request.demand(Invocable.from(Invocable.InvocationType.NON_BLOCKING, () -> {
                reading.complete(Thread.currentThread());
                // All four bytes came by one write.
                request.read().release();
                response.getHeaders().put(HttpHeader.CONTENT_LENGTH, BYTES);
                send(request, response, region, true, callback);
            }));
            demanded.countDown();
        });
        try (TestServer server = server(dispatch).start(answer);
                RawClient client = server.client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n");
            assertTrue(demanded.await(30, TimeUnit.SECONDS));
            client.send("abcd");
            assertArrayEquals(content, client.answer().body());
        }
        assertNotSame(reading.join(), sent.begun.join());
        assertNotSame(reading.join(), sent.goingOn.join());
    }

    /** A worker waits, or the thread that writes the response. */
    @ParameterizedTest
    @ValueSource(strings = {"SimpleBlocking", "Adaptive"})
    void anIdleTimeoutEndsNoPeerThatWaitsForTheDisk(String algorithm) throws Exception {
        TestServer server = new TestServer(Connectors.NIO::http);
        server.millrace().setAlgorithm(algorithm);
        try (server;
                RawClient client =
                        server.start(Handlers.region(disk.stall(), BYTES)).client();
                StalledDisk stalled = disk) {
            client.get("/");
            stalled.waiting().get(30, TimeUnit.SECONDS);
            NioEndPoint endPoint = (NioEndPoint)
                    server.connector().getConnectedEndPoints().iterator().next();
            endPoint.onIdleExpired(new TimeoutException("expired by a test"));
            stalled.close();
            assertArrayEquals(content, client.answer().body());
        }
    }

    /** It may be the scheduler's one thread. With an interrupt, no park waits. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoCancelsAWriteDoesNotSpinAndWaitsForOneCallOnly(boolean isInterrupted) throws Exception {
        PassiveProtocol protocol = new PassiveProtocol();
        TestServer server = new TestServer(s -> Connectors.NIO.on(s, protocol));
        server.millrace().setAlgorithm("SimpleBlocking");
        try (server;
                RawClient client = server.start(Handlers.declining(Invocable.InvocationType.NON_BLOCKING))
                        .client();
                StalledDisk stalled = disk.stall()) {
            TransferEndPoint endPoint =
                    (TransferEndPoint) protocol.awaitOpened().getEndPoint();
            FileRegion region = region(stalled, 0, BYTES);
            endPoint.announce(region);
            Callback.Completable written = new Callback.Completable();
            endPoint.write(written, region.token());
            stalled.waiting().get(30, TimeUnit.SECONDS);
            CompletableFuture<Callback> cancelled = new CompletableFuture<>();
            CompletableFuture<Boolean> staysInterrupted = new CompletableFuture<>();
            Thread cancelling = new Thread(() -> {
                if (isInterrupted) {
                    Thread.currentThread().interrupt();
                }
                cancelled.complete(endPoint.cancelWrite(new IOException("cancelled by a test")));
                staysInterrupted.complete(Thread.interrupted());
            });
            cancelling.start();
            Await.until(
                    "waits, and does not spin",
                    () -> !cancelling.isInterrupted() && cancelling.getState() == Thread.State.TIMED_WAITING,
                    () -> String.valueOf(cancelling.getState()));
            stalled.close();
            assertSame(written, cancelled.get(30, TimeUnit.SECONDS));
            assertEquals(isInterrupted, staysInterrupted.get(30, TimeUnit.SECONDS));
            assertTrue(region.sent() <= TransferAlgorithm.TURN_BYTES, () -> region.sent() + " bytes sent");
            endPoint.close();
            endPoint.withdraw(region);
            client.readToEnd();
        }
    }
}
