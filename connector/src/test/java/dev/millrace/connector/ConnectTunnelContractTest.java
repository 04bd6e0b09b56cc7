package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.handler.ConnectHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tunnels of Jetty's {@link ConnectHandler} (RFC 9110 section 9.3.6): it writes to each connection from threads of the other. */
@Timeout(60)
class ConnectTunnelContractTest {
    private static final int BYTES = 8_000_000;

    private static final Tls TLS = new Tls();

    /** What a tunnel leads to: it serves each connection on a thread. */
    private static final class Target implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final ExecutorService threads = Executors.newCachedThreadPool();

        private Target(Service service) throws IOException {
            threads.execute(() -> accept(service));
        }

        private void accept(Service service) {
            try {
                while (true) {
                    Socket socket = listener.accept();
                    threads.execute(() -> serve(service, socket));
                }
            } catch (IOException ended) {
                // By the end of the test.
            }
        }

        private static void serve(Service service, Socket socket) {
            try (socket) {
                service.serve(socket.getInputStream(), socket.getOutputStream());
            } catch (IOException ended) {
                // By the tunnel, which the test looks at.
            }
        }

        private int port() {
            return listener.getLocalPort();
        }

        @Override
        public void close() throws Exception {
            listener.close();
            threads.shutdown();
            assertTrue(threads.awaitTermination(30, TimeUnit.SECONDS));
        }
    }

    private interface Service {
        void serve(InputStream in, OutputStream out) throws IOException;
    }

    private interface Case {
        void run(TestServer server, RawClient client) throws Exception;
    }

    private static void send(RawClient client, byte[] bytes) {
        try {
            client.send(bytes);
            client.shutdownOutput();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    /** @param ahead what the client sends with its request for the tunnel */
    private static void onAll(boolean secure, Service service, String ahead, Case shown) throws Exception {
        AtOnce.on(Connectors.all(), connectors -> {
            TestServer server = new TestServer(s -> secure ? connectors.https(s, TLS) : connectors.http(s));
            try (Target target = new Target(service);
                    server) {
                // A tunnel is to end by its ends.
                server.connector().setIdleTimeout(0);
                server.start(new ConnectHandler());
                try (RawClient client = secure ? TLS.connect(server.port()) : server.client()) {
                    String authority = "127.0.0.1:" + target.port();
                    client.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n" + ahead);
                    assertEquals("HTTP/1.1 200 OK", client.line());
                    String field = client.line();
                    while (!field.isEmpty()) {
                        field = client.line();
                    }
                    shown.run(server, client);
                }
                server.awaitNoEndPoints();
            }
        });
    }

    private static void echo(InputStream in, OutputStream out) throws IOException {
        in.transferTo(out);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void echoes(boolean secure) throws Exception {
        onAll(secure, ConnectTunnelContractTest::echo, "ahead\r\n", (server, client) -> {
            assertEquals("ahead", client.line());
            for (int i = 0; i < 100; i++) {
                client.send("hello " + i + "\r\n");
                assertEquals("hello " + i, client.line());
            }
            client.shutdownOutput();
            assertEquals(-1, client.read());
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takesMuchInBothDirectionsAtOnce(boolean secure) throws Exception {
        byte[] bytes = RandomBytes.of(BYTES);
        onAll(secure, ConnectTunnelContractTest::echo, "", (server, client) -> {
            // The common pool may have a single thread.
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(() -> send(client, bytes), task -> new Thread(task).start());
            assertArrayEquals(bytes, client.in().readAllBytes());
            sent.get(30, TimeUnit.SECONDS);
        });
    }

    // Over TLS Jetty's tunnel reads no more behind the peer's close alert, on Jetty's own connector too: it ends when
    // it is idle.
    @Test
    void endsWithItsTarget() throws Exception {
        byte[] bytes = RandomBytes.of(BYTES);
        onAll(
                false,
                (in, out) -> out.write(bytes),
                "",
                (server, client) -> assertArrayEquals(bytes, client.in().readAllBytes()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void answersWhoHasEndedItsHalf(boolean secure) throws Exception {
        byte[] bytes = RandomBytes.of(BYTES);
        onAll(
                secure,
                (in, out) -> {
                    in.readAllBytes();
                    out.write(bytes);
                },
                "",
                (server, client) -> {
                    send(client, bytes);
                    assertArrayEquals(bytes, client.in().readAllBytes());
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsWithItsClient(boolean secure) throws Exception {
        onAll(secure, (in, out) -> in.readAllBytes(), "", (server, client) -> client.send("hello"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsWithItsConnector(boolean secure) throws Exception {
        onAll(secure, ConnectTunnelContractTest::echo, "", (server, client) -> {
            client.send("hello\r\n");
            assertEquals("hello", client.line());
            server.connector().stop();
            assertEquals(-1, client.read());
        });
    }
}
