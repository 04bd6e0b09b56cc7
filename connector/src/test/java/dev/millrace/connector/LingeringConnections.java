package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

/** Connections of clients that linger, because they go on sending. */
@Timeout(60)
abstract class LingeringConnections {
    static final long HOUR_MILLIS = 3_600_000;

    @Parameter
    Connectors connectors;

    final ScheduledExecutorService trickle = Executors.newSingleThreadScheduledExecutor();
    final List<RawClient> clients = new ArrayList<>();

    TestServer server() {
        return new TestServer(connectors::http).expectMalformedRequests();
    }

    RawClient client(TestServer server) throws Exception {
        RawClient client = server.client();
        clients.add(client);
        return client;
    }

    @AfterEach
    void end() throws Exception {
        trickle.shutdownNow();
        for (RawClient client : clients) {
            client.close();
        }
    }

    /** A request whose content nobody reads: the connection lingers when that is answered. */
    static String upload(long bytes) {
        return "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " + bytes + "\r\n\r\n";
    }

    RawClient lingering(TestServer server) throws Exception {
        long before = server.millrace().getLingeredConnections();
        RawClient client = client(server).send(upload(HOUR_MILLIS));
        assertEquals("hello", client.answer().text());
        assertEquals(-1, client.in().read());
        Await.until("lingers", () -> server.millrace().getLingeredConnections() > before);
        return client;
    }

    static void awaitLingering(TestServer server, int count) {
        Await.until(
                count + " linger",
                () -> server.millrace().getLingeringConnections() == count,
                () -> "but " + server.millrace().getLingeringConnections());
    }

    void trickle(RawClient... senders) {
        var unused = trickle.scheduleAtFixedRate(
                () -> {
                    try {
                        for (RawClient sender : senders) {
                            sender.send("x");
                        }
                    } catch (IOException reset) {
                        trickle.shutdown();
                    }
                },
                0,
                50,
                TimeUnit.MILLISECONDS);
    }

    static Stream<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().startsWith("lingering-close-"));
    }
}
