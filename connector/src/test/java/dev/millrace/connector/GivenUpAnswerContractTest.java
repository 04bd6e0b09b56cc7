package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import dev.millrace.testing.TlsPeer;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.MinimumDataRateHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The scheduler's thread, of which a server has one, may give up an answer that is being written: it must not wait for the peer. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class GivenUpAnswerContractTest {
    /** More than the sockets of both sides take. */
    private static final int BYTES = 32 << 20;

    @Parameter
    Connectors connectors;

    private final CompletableFuture<Request> handled = new CompletableFuture<>();
    private final CompletableFuture<Callback> unanswered = new CompletableFuture<>();

    private final Handler large = Handlers.of((request, response, callback) -> {
        handled.complete(request);
        unanswered.complete(callback);
        response.write(true, ByteBuffer.allocateDirect(BYTES), callback);
    });

    /** Gives up what a handler writes to a peer that takes nothing. */
    private void assertGoesOn(Handler handler, Runnable givingUp) throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        try (server;
                Socket plain = new Socket()) {
            server.start(handler);
            plain.setReceiveBufferSize(4096);
            plain.connect(new InetSocketAddress("127.0.0.1", server.port()));
            try (RawClient client = tls.over(plain)) {
                client.get("/");
                handled.get(30, TimeUnit.SECONDS);
                Await.until(
                        "the write waits, or was given up",
                        () -> server.connector().getConnectedEndPoints().stream()
                                .allMatch(EndPoints::isWritePending));
                Scheduler scheduler = server.server().getScheduler();
                scheduler.schedule(givingUp, 0, TimeUnit.MILLISECONDS);
                server.awaitNoEndPoints();
                CompletableFuture<Void> told = new CompletableFuture<>();
                scheduler.schedule(() -> told.complete(null), 0, TimeUnit.MILLISECONDS);
                told.get(30, TimeUnit.SECONDS);
            }
        }
    }

    // The oldest Jetty that the README names has no such handler.
    @Test
    @EnabledIf("hasMinimumDataRateHandler")
    void byAHandlerThatWantsItFaster() throws Exception {
        assertGoesOn(new MinimumDataRateHandler(large, 0, BYTES * 10), () -> {});
    }

    static boolean hasMinimumDataRateHandler() {
        return Handler.class.getResource("handler/MinimumDataRateHandler.class") != null;
    }

    @Test
    void byAnApplicationThatFailsIt() throws Exception {
        assertGoesOn(large, () -> unanswered.join().failed(new TimeoutException("expected by the test")));
    }

    @Test
    void byAnApplicationThatClosesTheConnection() throws Exception {
        assertGoesOn(
                large,
                () -> handled.join()
                        .getConnectionMetaData()
                        .getConnection()
                        .getEndPoint()
                        .close());
    }

    /** Without the record that was given up the peer could not read those that follow, and would take that for an attack. */
    @Test
    void sendsNoRecordBehindOneThatWasGivenUp() throws Exception {
        Tls tls = new Tls();
        Handler giving = Handlers.of((request, response, callback) -> new Thread(() -> {
                    EndPoint endPoint = EndPoints.of(request);
                    Callback write =
                            MillraceEndPoint.socket(endPoint).cancelWrite(new TimeoutException("expected by the test"));
                    assertNull(write);
                    Content.Sink.write(response, true, "hello", callback);
                })
                .start());
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        try (server) {
            server.start(giving);
            try (TlsPeer peer = new TlsPeer(tls, server.port(), "TLSv1.3").handshake()) {
                peer.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                String answer = new String(peer.readAll(), StandardCharsets.ISO_8859_1);
                assertTrue(answer.isEmpty() || answer.endsWith("hello"), answer);
            }
            server.awaitNoEndPoints();
        }
    }
}
