package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that say little for long, and mean well, by the default settings: the table of decision 0023. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class RealClientsContractTest {
    private static final int MINUTE_SECONDS = 60;
    private static final int MESSAGE_BYTES = 7;
    private static final String LINE = "2026-11-24 12:00:00 tick\n";

    @Parameter
    Connectors connectors;

    /** Of the clients; time passes when all of them wait for it, and the server has done what they made it do. */
    private final Phaser phaser = new Phaser() {
        @Override
        protected boolean onAdvance(int phase, int registeredParties) {
            awaitRest();
            clock.pass(1);
            return false;
        }
    };

    private final CountDownLatch grpcRead = new CountDownLatch(1);
    // Time passes for these when the server has begun to wait: its thread may be late on a busy machine.
    private final CountDownLatch eventsWait = new CountDownLatch(1);
    private final CountDownLatch pollWaits = new CountDownLatch(1);
    private final Set<SocketAddress> ended = ConcurrentHashMap.newKeySet();
    private TestServer server;
    private WatchClock clock;

    /** What they do; each ends with being answered. */
    enum Client {
        /** {@code (sleep 12; cat file) | curl -T -} */
        CURL_WHOSE_FIRST_BYTE_IS_LATE(true) {
            @Override
            String run(RealClientsContractTest test, RawClient client) throws Exception {
                expectUpload(client);
                test.awaitSeconds(12);
                return endUpload(client, 64 * 1024);
            }
        },
        /** {@code pg_dump | curl -T -} */
        CURL_OF_WHICH_A_LINE_COMES_NOW_AND_THEN(false) {
            @Override
            String run(RealClientsContractTest test, RawClient client) throws Exception {
                expectUpload(client);
                boolean ended = false;
                for (int i = 0; i < 10 && !ended; i++) {
                    sendChunk(client, LINE.getBytes(StandardCharsets.UTF_8));
                    test.awaitRead(client);
                    test.awaitSeconds(3);
                    // The thread that answers may be late.
                    ended = test.isTold(client) || client.in().available() > 0;
                }
                return ended ? text(client.answer()) : endUpload(client, LINE.length());
            }
        },
        /** {@code tar | curl -T -} */
        CURL_THAT_PAUSES(true) {
            @Override
            String run(RealClientsContractTest test, RawClient client) throws Exception {
                expectUpload(client);
                sendChunk(client, new byte[64 * 1024]);
                test.awaitRead(client);
                test.awaitSeconds(15);
                return endUpload(client, 64 * 1024);
            }
        },
        BROWSER_ON_A_BAD_LINE(true) {
            @Override
            String run(RealClientsContractTest test, RawClient client) throws Exception {
                client.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 24000\r\n\r\n");
                for (int i = 0; i < 12; i++) {
                    test.awaitRead(client);
                    test.awaitSeconds(1);
                    client.send(new byte[2000]);
                }
                return client.answer().text();
            }
        },
        EVENT_STREAM(true) {
            @Override
            String run(RealClientsContractTest test, RawClient client) throws Exception {
                client.get("/events");
                assertTrue(test.eventsWait.await(30, TimeUnit.SECONDS));
                test.awaitSeconds(MINUTE_SECONDS);
                return client.answer().text();
            }
        },
        LONG_POLL(true) {
            @Override
            String run(RealClientsContractTest test, RawClient client) throws Exception {
                client.send("POST /poll HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
                assertTrue(test.pollWaits.await(30, TimeUnit.SECONDS));
                test.awaitSeconds(MINUTE_SECONDS);
                return client.answer().text();
            }
        },
        WEB_SOCKET(true) {
            @Override
            String run(RealClientsContractTest test, RawClient client) throws Exception {
                client.send("GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
                assertEquals(101, client.answer().status());
                test.awaitSeconds(30);
                // A text of two characters, masked by zeros.
                client.send(new byte[] {(byte) 0x81, (byte) 0x82, 0, 0, 0, 0, 'u', 'p'});
                client.in().readNBytes(2);
                return new String(client.in().readNBytes(2), StandardCharsets.UTF_8);
            }
        },
        GRPC_THAT_ANSWERS_AT_THE_END(false) {
            @Override
            String run(RealClientsContractTest test, RawClient client) throws Exception {
                Http2Frames frames = new Http2Frames(client);
                int stream = frames.post("/upload", "application/grpc");
                frames.sendPart(stream, new byte[MESSAGE_BYTES]);
                assertTrue(test.grpcRead.await(30, TimeUnit.SECONDS));
                test.awaitSeconds(30);
                try {
                    frames.send(stream, new byte[MESSAGE_BYTES]);
                } catch (IOException ended) {
                    // The answer tells.
                }
                return new String(frames.content(stream), StandardCharsets.UTF_8);
            }
        };

        /** Whether it is served also by a server whose threads are all taken by others. */
        private final boolean hasTheRate;

        Client(boolean hasTheRate) {
            this.hasTheRate = hasTheRate;
        }

        abstract String run(RealClientsContractTest test, RawClient client) throws Exception;

        private static void expectUpload(RawClient client) throws IOException {
            client.send("PUT /upload HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n"
                    + "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
            assertEquals(100, client.answer().status());
        }

        private static void sendChunk(RawClient client, byte[] bytes) throws IOException {
            client.send(Integer.toHexString(bytes.length) + "\r\n").send(bytes).send("\r\n");
        }

        private static String endUpload(RawClient client, int lastBytes) throws IOException {
            sendChunk(client, new byte[lastBytes]);
            return text(client.send("0\r\n\r\n").answer());
        }

        private static String text(RawClient.Answer answer) {
            return answer.status() == 200 ? answer.text() : "status " + answer.status();
        }
    }

    /** Answers an upload at its end, a poll after half a minute, and events with a pause of that between them. */
    private final Handler application = Handlers.of((request, response, callback) -> {
        switch (Request.getPathInContext(request)) {
            case "/events" -> {
                response.getHeaders().put("Content-Type", "text/event-stream");
                Content.Sink.write(response, false, ByteBuffer.wrap("data: 1\n\n".getBytes(StandardCharsets.UTF_8)));
                awaitHalfAMinute(eventsWait);
                Content.Sink.write(response, true, "data: up\n\n", callback);
            }
            case "/poll" -> {
                assertEquals("{}", Content.Source.asString(request));
                awaitHalfAMinute(pollWaits);
                Content.Sink.write(response, true, "up", callback);
            }
            default -> {
                try (InputStream in = Content.Source.asInputStream(request)) {
                    if ("application/grpc".equals(request.getHeaders().get(HttpHeader.CONTENT_TYPE))) {
                        assertEquals(0, in.read());
                        grpcRead.countDown();
                    }
                    in.readAllBytes();
                }
                Content.Sink.write(response, true, "up", callback);
            }
        }
    });

    private void awaitHalfAMinute(CountDownLatch begun) {
        long enough = clock.seconds() + MINUTE_SECONDS / 2;
        begun.countDown();
        Await.until("half a minute", () -> clock.seconds() >= enough);
    }

    /** Sends back what it is told. */
    public static final class Echo implements Session.Listener.AutoDemanding {
        private Session session;

        @Override
        public void onWebSocketOpen(Session opened) {
            session = opened;
        }

        @Override
        public void onWebSocketText(String message) {
            session.sendText(message, org.eclipse.jetty.websocket.api.Callback.NOOP);
        }
    }

    /** A thread that the machine holds up in a write, or before a closed connection, is no slow peer. */
    private void awaitRest() {
        Await.until(
                "nothing is being written or closed",
                () -> server.connector().getConnectedEndPoints().stream()
                        .noneMatch(endPoint -> ((MonitoredEndPoint) endPoint).isWritePending() || isEnding(endPoint)));
    }

    private boolean isEnding(EndPoint endPoint) {
        SocketAddress remote = endPoint.getRemoteSocketAddress();
        // A closed channel no longer knows its peer.
        return remote == null || ended.contains(remote);
    }

    /** Called by clients. */
    private void awaitSeconds(int seconds) {
        for (int i = 0; i < seconds; i++) {
            phaser.arriveAndAwaitAdvance();
        }
    }

    /** Waits until all has been read that a client has sent: else it is not the client's turn. */
    private void awaitRead(RawClient client) {
        Await.until(
                "all is read",
                () -> endPointsOf(client)
                        .allMatch(endPoint -> !endPoint.isOpen()
                                || (isEmpty(((SocketChannelEndPoint) endPoint).getChannel())
                                        && ((MonitoredEndPoint) endPoint).awaitsRead())));
    }

    /** Whether the watch has decided that a client is too slow. */
    private boolean isTold(RawClient client) {
        return endPointsOf(client)
                .anyMatch(endPoint -> ((MonitoredEndPoint) endPoint).getRates().isTold());
    }

    private Stream<EndPoint> endPointsOf(RawClient client) {
        return server.connector().getConnectedEndPoints().stream()
                .filter(endPoint -> client.socket().getLocalSocketAddress().equals(endPoint.getRemoteSocketAddress()));
    }

    private static boolean isEmpty(SocketChannel channel) {
        try {
            return channel.socket().getInputStream().available() == 0;
        } catch (IOException x) {
            return true;
        }
    }

    private TestServer start() throws Exception {
        server = new TestServer(connectors::httpAndHttp2);
        clock = new WatchClock(server);
        WebSocketUpgradeHandler upgrade = WebSocketUpgradeHandler.from(
                server.server(),
                container -> container.addMapping("/socket", (request, response, callback) -> new Echo()));
        upgrade.setHandler(application);
        return server.start(upgrade);
    }

    private String run(Client client) throws Exception {
        try (RawClient raw = server.client()) {
            String answer = client.run(this, raw);
            ended.add(raw.socket().getLocalSocketAddress());
            return answer;
        } catch (SocketException x) {
            // A client that is ended while it sends may not hear why.
            return x.toString();
        } finally {
            phaser.arriveAndDeregister();
        }
    }

    /** All at once, for they are nearly all waiting. */
    private Map<Client, String> runAll() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(Client.values().length);
        phaser.bulkRegister(Client.values().length);
        try {
            Map<Client, Future<String>> running = new EnumMap<>(Client.class);
            for (Client client : Client.values()) {
                running.put(client, threads.submit(() -> run(client)));
            }
            Map<Client, String> answers = new EnumMap<>(Client.class);
            for (Map.Entry<Client, Future<String>> one : running.entrySet()) {
                answers.put(one.getKey(), one.getValue().get());
            }
            return answers;
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void areServedByDefault() throws Exception {
        try (TestServer started = start()) {
            runAll().forEach((client, answer) ->
                    assertTrue(answer.endsWith("up") || answer.endsWith("up\n\n"), client + ": " + answer));
            assertEquals(
                    0,
                    server.millrace().getSlowRequests()
                            + server.millrace().getSlowResponses()
                            + server.millrace().getSlowHeads());
        }
    }

    /** As where all threads are taken: those that are slower than they must are told so. */
    @Test
    void areServedIfTheyKeepTheRateWhereOthersWait() throws Exception {
        try (TestServer started = start()) {
            server.millrace().setSlowRequestsAlwaysEnded(true);
            int slow = 0;
            for (Map.Entry<Client, String> one : runAll().entrySet()) {
                String answer = one.getValue();
                boolean served = answer.endsWith("up") || answer.endsWith("up\n\n");
                assertEquals(one.getKey().hasTheRate, served, one.toString());
                assertTrue(served || answer.contains("408") || answer.contains("SocketException"), one.toString());
                slow += served ? 0 : 1;
            }
            assertEquals(slow, server.millrace().getSlowRequests());
        }
    }

    @Test
    void areServedIfTheySpeakGrpcAndThatIsExempt() throws Exception {
        try (TestServer started = start()) {
            server.millrace().setSlowRequestsAlwaysEnded(true);
            server.millrace().setGrpcExempt(true);
            phaser.register();
            assertEquals("up", run(Client.GRPC_THAT_ANSWERS_AT_THE_END));
        }
    }
}
