package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.SystemLimits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.IO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How many connections wait to be accepted, unless a connector is told. Jetty's own lets 50 wait, as Java does. */
@Timeout(60)
class AcceptQueueTest {
    private static final int BURST = 300;

    static List<Connectors> ours() {
        return Connectors.ours().toList();
    }

    @ParameterizedTest
    @MethodSource("ours")
    @EnabledOnOs(OS.LINUX)
    void aBurstConnectsWhileNothingIsAccepted(Connectors connectors) throws Exception {
        List<Socket> waiting = new ArrayList<>();
        try (TestServer server = new TestServer(connectors::http)) {
            server.start(Handlers.hello());
            server.connector().setAccepting(false);
            int burst = Math.min(
                    BURST, SystemLimits.read(LimitedConnector.MOST_WAITING, LimitedConnector.UNKNOWN_MOST_WAITING));
            for (int i = 0; i < burst; i++) {
                Socket socket = new Socket();
                waiting.add(socket);
                socket.connect(new InetSocketAddress("127.0.0.1", server.port()), 30_000);
            }
            assertEquals(burst, waiting.size());
            waiting.forEach(IO::close);
            server.connector().setAccepting(true);
            server.awaitNoEndPoints();
        } finally {
            waiting.forEach(IO::close);
        }
    }

    @ParameterizedTest
    @MethodSource("ours")
    void zeroIsWhatTheSystemAllows(Connectors connectors) {
        ServerConnector connector = connectors.http(new Server());
        int allowed = SystemLimits.read(LimitedConnector.MOST_WAITING, LimitedConnector.UNKNOWN_MOST_WAITING);
        assertEquals(allowed, connector.getAcceptQueueSize());
        connector.setAcceptQueueSize(77);
        assertEquals(77, connector.getAcceptQueueSize());
        connector.setAcceptQueueSize(0);
        assertEquals(allowed, connector.getAcceptQueueSize());
    }

    /** Linux answers a small read of such a file with the first digits only. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void allDigitsAreRead() throws Exception {
        Process cat = new ProcessBuilder("cat", LimitedConnector.MOST_WAITING.toString())
                .redirectErrorStream(true)
                .start();
        String told = new String(cat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertEquals(0, cat.waitFor(), told);
        assertEquals(
                told.strip(),
                String.valueOf(
                        SystemLimits.read(LimitedConnector.MOST_WAITING, LimitedConnector.UNKNOWN_MOST_WAITING)));
    }

    @Test
    void isReadFromTheSystemWhereThatTells(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("somaxconn");
        assertEquals(7, SystemLimits.read(file, 7));
        for (String unusable : new String[] {"", "many\n", "0\n", "-1\n", "99999999999\n"}) {
            assertEquals(7, SystemLimits.read(Files.writeString(file, unusable), 7), unusable);
        }
        assertEquals(128, SystemLimits.read(Files.writeString(file, "128\n"), 7));
        assertTrue(LimitedConnector.UNKNOWN_MOST_WAITING >= 1024);
    }
}
