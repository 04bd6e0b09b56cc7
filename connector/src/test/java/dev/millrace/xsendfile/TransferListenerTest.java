package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.TransferResult.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Which listeners are told how transfers end: each, whatever the others do. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
class TransferListenerTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final XSendfileHandler handler = new XSendfileHandler(Handlers.naming(() -> directory));

    @BeforeEach
    void roots() {
        handler.addRoot(directory.toString());
    }

    @Test
    void isToldThoughOthersThrow() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        List<TransferResult> results = new CopyOnWriteArrayList<>();
        handler.addTransferListener(result -> {
            throw new IllegalStateException("meant to fail");
        });
        handler.addTransferListener(results::add);
        handler.addTransferListener(result -> {
            throw new AssertionError("meant to fail");
        });
        handler.addTransferListener(results::add);
        try (Logged logged = new Logged(TransferEnd.class.getName());
                TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            for (int i = 1; i <= 2; i++) {
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
                int answers = i;
                Await.until("both told", () -> results.size() == 2 * answers);
                assertEquals(Outcome.DONE, results.get(2 * i - 1).outcome());
                Await.until("logged", () -> logged.count("meant to fail") == 2L * answers);
            }
            assertEquals(404, client.get("/none").answer().status());
            Await.until("told of what is missing, too", () -> results.size() == 6);
        }
    }

    /** The callback of a handler around is another's code, too. */
    @Test
    void isToldThoughTheCallbackThrows() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        List<TransferResult> results = new CopyOnWriteArrayList<>();
        handler.addTransferListener(results::add);
        Handler around = Handlers.around(handler, (request, response, callback) -> {
            return handler.handle(request, response, new Callback.Nested(callback) {
                @Override
                public void succeeded() {
                    super.succeeded();
                    throw new IllegalStateException("meant to fail");
                }
            });
        });
        try (TestServer server = new TestServer(connectors::http).start(around);
                RawClient client = server.client()) {
            assertEquals(200, client.get("/file.bin").answer().status());
            Await.until("told", () -> results.size() == 1);
            assertEquals(Outcome.DONE, results.get(0).outcome());
        }
    }

    @Test
    void isStartedAndStoppedWhenItIsAddedLater() throws Exception {
        DownloadNotifier notifier = new DownloadNotifier();
        try (TestServer ignored = new TestServer(connectors::http).start(handler)) {
            handler.addTransferListener(notifier);
            assertTrue(notifier.isStarted());
        }
        assertTrue(notifier.isStopped());
    }
}
