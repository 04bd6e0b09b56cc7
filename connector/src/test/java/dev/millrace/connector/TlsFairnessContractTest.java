package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Some peers of TLS take all that they can get, and others little: nobody waits for them. No file is a transfer there, so that this is the
 * same for each algorithm. In clear text: {@code TransferContractTest}.
 */
class TlsFairnessContractTest extends TlsContract {
    /** More than sockets of 64 KiB hold, many times. */
    private static final int FILE_BYTES = 3_000_000;
    /** More than sockets hold that grow as they are used: what comes then was sent while others waited. */
    private static final long MANY_BYTES = 50_000_000;

    private static final long PART_BYTES = 1_000_000;

    private static final int SOCKET_BYTES = 64 * 1024;
    private static final int ROUNDS = 50;
    /** The slow ones' files have content for more. */
    private static final int MOST_ROUNDS = 250;

    private static final int PIECE_BYTES = 10_000;

    private final List<Greedy> greedy = new ArrayList<>();
    private final List<RawClient> others = new ArrayList<>();
    private byte[] small;

    TlsFairnessContractTest() {
        super(FILE_BYTES);
    }

    /** Takes what comes, and decrypts nothing of it: no server encrypts as fast. */
    private static final class Greedy implements AutoCloseable {
        private final Socket socket;
        // Kept: the JDK closes a socket of TLS that nobody knows any more.
        private final RawClient client;
        private final AtomicLong received = new AtomicLong();
        /** What a failure tells of it. */
        private volatile String end = "no end";

        private final Thread reader = new Thread(this::readToEnd);

        Greedy(Tls tls, int port) throws Exception {
            socket = new Socket("127.0.0.1", port);
            client = tls.over(socket).get("/endless.bin");
            reader.start();
        }

        private void readToEnd() {
            byte[] block = new byte[1024 * 1024];
            try {
                InputStream in = socket.getInputStream();
                for (int n = in.read(block); n >= 0; n = in.read(block)) {
                    received.addAndGet(n);
                }
                end = "its end";
            } catch (IOException closed) {
                // The test is over, or tells of it.
                end = closed.toString();
            }
        }

        long received() {
            return received.get();
        }

        void awaitMore() {
            long begin = received();
            // Of each part: a busy machine may be slow with all of it.
            for (long more = PART_BYTES; more <= MANY_BYTES; more += PART_BYTES) {
                long target = begin + more;
                Await.until("it gets more", () -> received() > target, () -> received() + " of " + target + ", " + end);
            }
        }

        @Override
        public void close() throws Exception {
            socket.close();
            reader.join();
            client.close();
        }
    }

    @BeforeEach
    void makeFiles() throws Exception {
        TestFiles.resize(directory.resolve("endless.bin"), 1L << 40);
        small = TestFiles.write(directory, "small.bin", 1000);
    }

    private void closeAll() throws Exception {
        for (Greedy peer : greedy) {
            peer.close();
        }
        for (RawClient peer : others) {
            peer.close();
        }
    }

    /** One selector. Nobody looks after what runs for a second in its thread: nobody is to wait for as long. */
    private ServerConnector connector(Server server) {
        ConnectionFactory[] factories = {ssl(tls.server(), HTTP), new HttpConnectionFactory()};
        if (!connectors.name().startsWith("NIO")) {
            return connectors.on(server, factories);
        }
        NioConnector connector =
                new NioConnector(server, null, new SelectorDispatchTest.ShortLooks(), null, 1, 1, factories);
        connector.setDispatch(((NioConnector) connectors.on(server)).getDispatch());
        return connector;
    }

    private TestServer start(int sendBufferBytes) throws Exception {
        TestServer server = new TestServer(this::connector);
        server.connector().setAcceptedSendBufferSize(sendBufferBytes);
        if (server.connector() instanceof MillraceConnector millrace) {
            // A test may be slow to read.
            millrace.setMinResponseBytesPerSecond(0);
        }
        return server.start(Handlers.files(directory));
    }

    private void beGreedy(TestServer server, int peers) throws Exception {
        for (int i = 0; i < peers; i++) {
            greedy.add(new Greedy(tls, server.port()));
        }
        greedy.forEach(Greedy::awaitMore);
    }

    /** As many as there are processors: no carrier of virtual threads is left. */
    @Test
    @Timeout(180)
    void nobodyWaitsForPeersThatTakeAllAtFullSpeed() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty's selector serves nobody else meanwhile");
        try (TestServer server = start(-1);
                AutoCloseable end = this::closeAll) {
            beGreedy(server, Runtime.getRuntime().availableProcessors());
            for (int i = 0; i < 20; i++) {
                others.add(tls.connect(server.port()));
            }
            for (int round = 0; round < ROUNDS; round++) {
                for (RawClient other : others) {
                    assertArrayEquals(small, other.get("/small.bin").answer().body());
                }
            }
            greedy.forEach(Greedy::awaitMore);
        }
    }

    /** Fifty take a little at a time, one takes all it can get, and there is no memory for so many. */
    @Test
    @Timeout(180)
    void sharesAmongSlowAndFast() throws Exception {
        try (TestServer server = start(SOCKET_BYTES);
                AutoCloseable end = this::closeAll) {
            beGreedy(server, 1);
            for (int i = 0; i < 50; i++) {
                Socket socket = new Socket();
                socket.setReceiveBufferSize(8192);
                socket.connect(new InetSocketAddress("127.0.0.1", server.port()));
                RawClient slow = tls.over(socket).get("/file.bin");
                others.add(slow);
                while (!slow.line().isEmpty()) {
                    // A field after the other.
                }
            }
            long begun = greedy.get(0).received();
            // More than sockets hold: what is read in the last rounds was sent while the others waited.
            // Nobody keeps the fast one to what each of the slow ones gets. A system that is short of memory
            // drops packets, and sends them again after a second or more: then they are compared for longer.
            int rounds = 0;
            do {
                assertTrue(
                        rounds < MOST_ROUNDS,
                        () -> "the fast one got " + (greedy.get(0).received() - begun) + ", " + greedy.get(0).end);
                readPieces(rounds++);
            } while (rounds < ROUNDS || greedy.get(0).received() - begun <= 2L * rounds * PIECE_BYTES);
            // Now they stall, and the fast one goes on.
            greedy.get(0).awaitMore();
        }
        assertNothingIsTaken();
    }

    private void readPieces(int round) throws IOException {
        int begin = round * PIECE_BYTES;
        byte[] expected = Arrays.copyOfRange(bytes, begin, begin + PIECE_BYTES);
        for (RawClient slow : others) {
            assertArrayEquals(expected, slow.in().readNBytes(PIECE_BYTES));
        }
    }
}
