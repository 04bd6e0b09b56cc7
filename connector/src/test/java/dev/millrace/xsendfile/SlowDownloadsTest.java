package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import dev.millrace.xsendfile.TransferResult.Outcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** How downloads end whose clients take them too slowly: by that, and not because a client has gone. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@Timeout(60)
class SlowDownloadsTest {
    /** More than the sockets of both sides hold. */
    private static final int SIZE = 20_000_000;
    /** Of one, the thread that closes and the one that wakes by that might be in the right order by chance. */
    private static final int CLIENTS = 10;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final BlockingQueue<TransferResult> results = new LinkedBlockingQueue<>();
    private final XSendfileHandler handler = new XSendfileHandler(Handlers.naming(() -> directory));

    /** Opens a connection. */
    private interface Opening {
        RawClient open(TestServer server) throws Exception;
    }

    private void assertTimedOut(TestServer server, Opening opening) throws Exception {
        TestFiles.write(directory, "file.bin", SIZE);
        handler.addRoot(directory.toString());
        handler.addTransferListener(results::add);
        server.sweeper().setPeriodMillis(50);
        server.millrace().setSlowPeerGraceMillis(200);
        server.millrace().setMinResponseBytesPerSecond(0);
        List<RawClient> clients = new ArrayList<>();
        try (server) {
            server.start(handler);
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(opening.open(server).get("/file.bin"));
            }
            // Not before: a busy machine may hold up the server in a handshake, or before it has begun to send.
            Await.until("all wait", () -> server.writesThatWait() == CLIENTS);
            server.millrace().setMinResponseBytesPerSecond(100_000_000);
            for (int i = 0; i < CLIENTS; i++) {
                TransferResult result = results.poll(30, TimeUnit.SECONDS);
                assertNotNull(result, "no result");
                assertEquals(Outcome.TIMED_OUT, result.outcome());
            }
            assertEquals(CLIENTS, server.sweeper().getSlowResponses());
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void areTimedOut() throws Exception {
        assertTimedOut(new TestServer(connectors::http), server -> new RawClient(server.port(), 8192));
    }

    @Test
    void areTimedOutWhereAWorkerWaitsForThem() throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.millrace().setAlgorithm("SimpleBlocking");
        assertTimedOut(server, started -> new RawClient(started.port(), 8192));
    }

    @Test
    void areTimedOutOverTls() throws Exception {
        Tls tls = new Tls();
        assertTimedOut(
                new TestServer(s -> connectors.https(s, tls)),
                server -> tls.over(new RawClient(server.port(), 8192).socket()));
    }
}
