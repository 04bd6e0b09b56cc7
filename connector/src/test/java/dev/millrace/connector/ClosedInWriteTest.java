package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A listener that hears of a connection's end may give up what is written there. The thread that writes may be the one that has ended the
 * connection, or may be about to hear of the end.
 */
@Timeout(150)
class ClosedInWriteTest {
    private static final String ENDED = "ended";
    /** More than the sockets of both sides take. */
    private static final int UNREAD_BYTES = 32 << 20;

    /** Less than the second for which an end waits. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int MOST_SECONDS = 30;
    private static final int READ_BYTES = 8 << 20;

    /** How a connection ends in a write. */
    private enum End {
        /** The thread that writes ends it. */
        RESET,
        /** Another thread does. */
        IDLE_TIMEOUT,
        /** Another thread does, and the thread that writes is an application's own. One of the connector's does the rest of that write. */
        IDLE_TIMEOUT_BESIDE
    }

    /** In a JVM of its own: a thread that waits for itself ends with that alone. */
    static final class Ended {
        /** Jetty's response has heard that its write has failed. */
        private static final CountDownLatch WRITE_FAILED = new CountDownLatch(1);

        public static void main(String[] arguments) throws Exception {
            Connectors connectors = Connectors.valueOf("BIO_" + arguments[0].toUpperCase(Locale.ROOT));
            End end = End.valueOf(arguments[1]);
            Tls tls = Boolean.parseBoolean(arguments[2]) ? new Tls() : null;
            LateWriter writer = new LateWriter(end == End.IDLE_TIMEOUT_BESIDE);
            TestServer server = new TestServer(s -> tls == null
                    ? connectors.on(s, writer)
                    : connectors.on(s, connectors.tls(tls.server(), "http/1.1"), writer));
            AtomicReference<Callback> handled = new AtomicReference<>(Callback.NOOP);
            server.connector().addBean(new Connection.Listener() {
                @Override
                public void onClosed(Connection connection) {
                    if (!await(WRITE_FAILED, 2)) {
                        System.out.println("Jetty has not heard of the failure");
                    }
                    handled.get().failed(new IOException("the connection has ended"));
                }
            });
            server.start(Handlers.of((request, response, callback) -> {
                handled.set(callback);
                Runnable write = () -> response.write(true, ByteBuffer.allocate(UNREAD_BYTES), callback);
                if (end == End.IDLE_TIMEOUT_BESIDE) {
                    new Thread(write).start();
                } else {
                    write.run();
                }
            }));
            try (Socket plain = new Socket("127.0.0.1", server.port())) {
                RawClient client = tls == null ? new RawClient(plain) : tls.over(plain);
                assertEquals("HTTP/1.1 200 OK", client.get("/").line());
                server.awaitBlockedWrite();
                if (end == End.IDLE_TIMEOUT_BESIDE) {
                    // The thread that does the rest goes on with it.
                    client.in().readNBytes(READ_BYTES);
                    server.awaitBlockedWrite();
                }
                if (end == End.RESET) {
                    plain.setSoLinger(true, 0);
                    plain.close();
                } else {
                    BioEndPoint writing = (BioEndPoint) server.connector()
                            .getConnectedEndPoints()
                            .iterator()
                            .next();
                    // An expiry ends nothing while the peer still takes bytes.
                    Await.until("expired", () -> {
                        writing.onIdleExpired(new TimeoutException("expired by a test"));
                        return !writing.isOpen();
                    });
                }
                server.awaitNoEndPoints();
                System.out.println(ENDED);
                System.out.flush();
            } finally {
                Runtime.getRuntime().halt(0);
            }
        }

        private static boolean await(CountDownLatch latch, int seconds) {
            try {
                return latch.await(seconds, TimeUnit.SECONDS);
            } catch (InterruptedException x) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        /** A thread that has written takes a while to say so to Jetty, and need not have a processor. */
        private static final class LateWriter extends HttpConnectionFactory {
            private final boolean awaitsFailure;

            private LateWriter(boolean awaitsFailure) {
                this.awaitsFailure = awaitsFailure;
            }

            private static Callback telling(Callback callback) {
                return new Callback.Nested(callback) {
                    @Override
                    public void failed(Throwable cause) {
                        super.failed(cause);
                        WRITE_FAILED.countDown();
                    }
                };
            }

            @Override
            public Connection newConnection(Connector connector, EndPoint endPoint) {
                EndPoint late =
                        new ProxyConnectionFactory.ProxyEndPoint(
                                endPoint, endPoint.getLocalSocketAddress(), endPoint.getRemoteSocketAddress()) {
                            @Override
                            public void write(Callback callback, ByteBuffer... buffers) {
                                super.write(telling(callback), buffers);
                                if (awaitsFailure) {
                                    await(WRITE_FAILED, MOST_SECONDS);
                                }
                                LockSupport.parkNanos(LATE_NANOS);
                            }
                        };
                return super.newConnection(connector, late);
            }
        }
    }

    // Without TLS a thread that writes ends the connection only when it has told Jetty.
    static Stream<Arguments> ends() {
        return Connectors.threads()
                .flatMap(threads -> Stream.of(
                        Arguments.of(threads, End.RESET, true),
                        Arguments.of(threads, End.IDLE_TIMEOUT, true),
                        Arguments.of(threads, End.IDLE_TIMEOUT, false),
                        Arguments.of(threads, End.IDLE_TIMEOUT_BESIDE, true),
                        Arguments.of(threads, End.IDLE_TIMEOUT_BESIDE, false)));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void endsThoughAListenerGivesTheWriteUp(String threads, End end, boolean tls) throws Exception {
        Process process = OneCarrierTest.start(Ended.class, threads, end.name(), String.valueOf(tls));
        try (BufferedReader out = process.inputReader()) {
            assertEquals(ENDED, out.readLine());
        } finally {
            process.destroyForcibly();
        }
    }
}
