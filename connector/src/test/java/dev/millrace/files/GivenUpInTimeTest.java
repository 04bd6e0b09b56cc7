package dev.millrace.files;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.MinimumDataRateHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A write that is given up in the very moment in which it fails or waits does not keep the thread that gives it up. That is the
 * scheduler's, which a server has one of.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@Timeout(120)
class GivenUpInTimeTest {
    private static final int BYTES = 60_000;
    private static final int REQUESTS = 100;
    /** The write of the last request is given up so long after it has begun. */
    private static final long MOST_MICROS = 1000;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final AtomicInteger requests = new AtomicInteger();

    /** Gives writes up so soon. */
    private static Handler givenUp(Handler files, long micros) {
        return new MinimumDataRateHandler(files, 0, BYTES * 1_000_000L / micros);
    }

    private interface Connect {
        RawClient over(Socket plain) throws Exception;
    }

    private void assertTimersGoOn(Function<Server, ServerConnector> connector, Connect connect) throws Exception {
        TestFiles.write(directory, "file.bin", BYTES);
        SendfileHandler files = new SendfileHandler();
        files.setBaseResourceAsString(directory.toString());
        TestServer server = new TestServer(connector);
        server.connector().setAcceptedSendBufferSize(16 * 1024);
        try (server) {
            List<Handler> givenUp = new ArrayList<>();
            for (int i = 1; i <= REQUESTS; i++) {
                givenUp.add(givenUp(files, MOST_MICROS * i / REQUESTS));
            }
            givenUp.forEach(server.server()::addBean);
            server.start(Handlers.around(
                    files,
                    (request, response, callback) ->
                            "slow".equals(request.getHttpURI().getQuery())
                                    ? givenUp.get(requests.getAndIncrement()).handle(request, response, callback)
                                    : files.handle(request, response, callback)));
            // Kept in memory then, and written by one call.
            try (RawClient patient = connect.over(new Socket("127.0.0.1", server.port()))) {
                for (int i = 0; i < 5; i++) {
                    patient.get("/file.bin").answer();
                }
            }
            for (int i = 1; i <= REQUESTS; i++) {
                int number = i;
                try (Socket plain = new Socket()) {
                    plain.setReceiveBufferSize(4096);
                    plain.connect(new InetSocketAddress("127.0.0.1", server.port()));
                    try (RawClient slow = connect.over(plain)) {
                        slow.get("/file.bin?slow");
                        Await.until("it is asked", () -> requests.get() == number);
                        CompletableFuture<Void> told = new CompletableFuture<>();
                        server.server().getScheduler().schedule(() -> told.complete(null), 2, TimeUnit.MILLISECONDS);
                        told.get(30, TimeUnit.SECONDS);
                    }
                }
            }
        }
    }

    @Test
    void inClear() throws Exception {
        assertTimersGoOn(connectors::http, RawClient::new);
    }

    @Test
    void overTls() throws Exception {
        Tls keys = new Tls();
        assertTimersGoOn(server -> connectors.https(server, keys), keys::over);
    }

    @Test
    void overTlsOfJetty() throws Exception {
        assumeTrue(connectors.name().startsWith("NIO"), "on a blocking connection the moment remains: decision 22");
        Tls keys = new Tls();
        HttpConnectionFactory http = new HttpConnectionFactory();
        assertTimersGoOn(
                server -> connectors.on(server, new SslConnectionFactory(keys.server(), http.getProtocol()), http),
                keys::over);
    }
}
