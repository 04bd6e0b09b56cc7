package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.VirtualThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A JVM whose virtual threads have one carrier, as in a container with one processor. */
@Timeout(150)
class OneCarrierTest {
    /** More than the sockets of both sides take. */
    private static final int UNREAD_BYTES = 64 << 20;

    /** Gives up a write that waits for its peer. Prints what another connection is answered then. */
    static final class GivingUp {
        private static final CountDownLatch GIVEN_UP = new CountDownLatch(1);

        public static void main(String[] arguments) throws Exception {
            Tls tls = arguments[0].equals("https") ? new Tls() : null;
            TestServer server = new TestServer(
                    s -> tls == null ? Connectors.BIO_VIRTUAL.http(s) : Connectors.BIO_VIRTUAL.https(s, tls));
            BooleanSupplier waits = () ->
                    ((BioConnector) server.connector()).getConnectorStatistics().getThreadsInWrite() == 1;
            server.start(Handlers.of((request, response, callback) -> {
                switch (request.getMethod()) {
                    case "POST" -> giveUp(response, callback, waits);
                    case "PUT" -> giveUpWhileItIsClosed(request, response, callback, waits);
                    default -> Content.Sink.write(response, true, Handlers.HELLO, callback);
                }
            }));
            try (RawClient silent = connect(server, tls);
                    RawClient other = connect(server, tls)) {
                silent.send(arguments[1] + " / HTTP/1.1\r\nHost: localhost\r\n" + arguments[2]);
                System.out.println(
                        GIVEN_UP.await(60, TimeUnit.SECONDS)
                                ? other.get("/").answer().text()
                                : "has not given up");
            }
        }

        private static RawClient connect(TestServer server, Tls tls) throws Exception {
            return tls == null ? server.client() : tls.connect(server.port());
        }

        // While content is left to read, another thread completes what this one writes.
        private static void giveUp(Response response, Callback callback, BooleanSupplier waits) {
            response.write(false, ByteBuffer.allocate(UNREAD_BYTES), Callback.NOOP);
            Await.until("it waits", waits);
            callback.failed(new IOException("enough"));
            GIVEN_UP.countDown();
        }

        // The connection's thread waits in the write. It comes out when it has the carrier, and the other one does not
        // wait.
        private static void giveUpWhileItIsClosed(
                Request request, Response response, Callback callback, BooleanSupplier waits) {
            EndPoint endPoint = EndPoints.of(request);
            EndPoint socket = MillraceEndPoint.socket(endPoint);
            Thread closing = new Thread(socket::close);
            VirtualThreads.getDefaultVirtualThreadsExecutor().execute(() -> {
                Await.until("it waits", waits);
                closing.start();
                while (socket.isOpen()) {
                    Thread.onSpinWait();
                }
                Callback written = endPoint.cancelWrite(new IOException("enough"));
                if (written != null) {
                    written.failed(new IOException("enough"));
                }
                GIVEN_UP.countDown();
            });
            response.write(true, ByteBuffer.allocate(UNREAD_BYTES), callback);
        }
    }

    /** Has turns with an interrupt. Prints whether another thread comes to its own meanwhile, and the interrupt stays. */
    static final class Interrupted {
        private static final CountDownLatch OTHER = new CountDownLatch(1);

        public static void main(String[] arguments) throws Exception {
            Executor threads = VirtualThreads.getDefaultVirtualThreadsExecutor();
            CompletableFuture<Boolean> staysInterrupted = new CompletableFuture<>();
            threads.execute(() -> {
                threads.execute(OTHER::countDown);
                CarrierTurn turn = new CarrierTurn();
                Thread.currentThread().interrupt();
                while (OTHER.getCount() > 0) {
                    turn.onProgress();
                }
                staysInterrupted.complete(Thread.currentThread().isInterrupted());
            });
            System.out.println(
                    OTHER.await(60, TimeUnit.SECONDS) && staysInterrupted.get(60, TimeUnit.SECONDS)
                            ? Handlers.HELLO
                            : "has kept the carrier, or lost the interrupt");
        }
    }

    /** Starts such a JVM. */
    static Process start(Class<?> main, String... arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // The JVM would warn on standard output.
                "-Xlog:disable",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                "-Dorg.eclipse.jetty.LEVEL=WARN",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName());
        builder.command().addAll(List.of(arguments));
        return builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    private static void goesOn(Class<?> main, String... arguments) throws Exception {
        assumeTrue(VirtualThreads.areSupported(), "no virtual threads");
        Process process = start(main, arguments);
        try (BufferedReader out = process.inputReader()) {
            assertEquals(Handlers.HELLO, out.readLine());
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "https"})
    void goesOnWhenAWriteIsGivenUp(String scheme) throws Exception {
        goesOn(GivingUp.class, scheme, "POST", "Content-Length: 2\r\n\r\n1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "https"})
    void goesOnWhenAWriteIsGivenUpWhoseConnectionIsBeingClosed(String scheme) throws Exception {
        goesOn(GivingUp.class, scheme, "PUT", "Content-Length: 0\r\n\r\n");
    }

    @Test
    void goesOnWhenAThreadIsInterruptedThatNeverWaits() throws Exception {
        goesOn(Interrupted.class);
    }
}
