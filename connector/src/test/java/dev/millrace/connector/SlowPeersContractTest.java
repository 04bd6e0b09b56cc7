package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Which peers of HTTP/1.1 and of TLS are too slow, and which are not. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class SlowPeersContractTest {
    @Parameter
    Connectors connectors;

    private final ScheduledExecutorService trickle = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stopTrickling() {
        trickle.shutdownNow();
    }

    /** Reads the content of a POST; answers a GET of /large with 32 MB, any other with a word. */
    private final Handler application = Handlers.of((request, response, callback) -> {
        if (request.getMethod().equals("POST")) {
            Handlers.content(request);
        }
        if (Request.getPathInContext(request).equals("/large")) {
            response.write(true, ByteBuffer.allocateDirect(32 * 1024 * 1024), callback);
        } else {
            Content.Sink.write(response, true, "hello", callback);
        }
    });

    private TestServer server() {
        TestServer server = new TestServer(connectors::http);
        server.sweeper().setPeriodMillis(100);
        server.millrace().setSlowPeerGraceMillis(500);
        server.millrace().setSlowRequestsAlwaysEnded(true);
        return server;
    }

    private void trickle(RawClient client, String bytes) {
        var unused = trickle.scheduleAtFixedRate(
                () -> {
                    try {
                        client.send(bytes);
                    } catch (IOException closed) {
                        trickle.shutdown();
                    }
                },
                0,
                50,
                TimeUnit.MILLISECONDS);
    }

    @Test
    void endsATrickledHead() throws Exception {
        // Its head ends early.
        TestServer server = server().expectMalformedRequests();
        server.millrace().setRequestHeadTimeoutMillis(500);
        try (server;
                RawClient client = server.start(application).client()) {
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ");
            trickle(client, "x");
            client.readToEnd();
            assertEquals(1, server.sweeper().getSlowHeads());
        }
    }

    @Test
    void endsAHandshakeThatIsNotFinished() throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        // Before the start, which plans the first look.
        server.sweeper().setPeriodMillis(100);
        try (server;
                RawClient client = server.start(application).client();
                RawClient good = tls.connect(server.port())) {
            // Before the limit is set: the good peer's handshake, the JVM's first, may take longer on a busy machine.
            assertEquals("hello", good.get("/").answer().text());
            server.millrace().setRequestHeadTimeoutMillis(500);
            client.send(new byte[] {0x16, 0x03, 0x01});
            client.readToEnd();
            assertEquals(1, server.sweeper().getSlowHeads());
            assertEquals("hello", good.get("/").answer().text());
        }
    }

    @Test
    void endsTrickledContent() throws Exception {
        try (TestServer server = server().start(application);
                RawClient client = server.client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
            trickle(client, "x");
            client.readToEnd();
            assertEquals(1, server.sweeper().getSlowRequests());
        }
    }

    @Test
    void endsAnAnswerThatIsTakenByDrops() throws Exception {
        TestServer server = server();
        // What the kernel hides of the peer's pace is as little as the send buffer.
        server.connector().setAcceptedSendBufferSize(16 * 1024);
        server.millrace().setMinResponseBytesPerSecond(50_000);
        try (server;
                RawClient client = new RawClient(server.start(application).port(), 4096)) {
            client.get("/large");
            var unused = trickle.scheduleAtFixedRate(
                    () -> {
                        try {
                            client.in().readNBytes(5);
                        } catch (IOException closed) {
                            trickle.shutdown();
                        }
                    },
                    0,
                    50,
                    TimeUnit.MILLISECONDS);
            Await.until("ended", () -> server.sweeper().getSlowResponses() == 1);
            server.awaitNoEndPoints();
        }
    }

    @Test
    void leavesAPeerAloneWhomTheApplicationLetsWait() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Handler busy = Handlers.text(request -> {
            release.await();
            return "late";
        });
        try (TestServer server = server().start(busy);
                RawClient client = server.client();
                RawClient idle = server.client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nfirst");
            // They take more than twice the grace.
            long enough = server.sweeper().getLooks() + 12;
            Await.until("looked", () -> server.sweeper().getLooks() >= enough);
            release.countDown();
            assertEquals("late", client.answer().text());
            assertEquals("late", idle.get("/").answer().text());
            assertEquals(0, server.sweeper().getSlowRequests());
        }
    }
}
