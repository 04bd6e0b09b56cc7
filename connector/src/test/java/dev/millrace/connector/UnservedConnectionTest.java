package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.util.thread.Invocable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server whose protocol cannot be had, as in a runtime without one of its modules, closes every connection: its log says why, once. */
@Timeout(60)
class UnservedConnectionTest {
    private static final String REASON = "a class that is not there";

    private static final class Absent extends HttpConnectionFactory {
        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            throw new NoClassDefFoundError(REASON);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void isToldInOneWarningOfAStart(Connectors connectors) throws Exception {
        try (Logged log = new Logged(AbstractConnector.class.getName());
                TestServer server = new TestServer(jetty -> connectors.on(jetty, new Absent()))) {
            for (int starts = 1; starts <= 2; starts++) {
                server.start(Handlers.declining(Invocable.InvocationType.BLOCKING));
                for (int i = 0; i < 3; i++) {
                    try (RawClient client = server.client()) {
                        assertEquals(-1, client.read());
                    }
                }
                // The selector's connector closes it before it tells, and a stopping one no longer warns.
                long warnings = starts;
                Await.until("told", () -> log.count(":WARN") == warnings);
                server.server().stop();
                // Of each the name, and once more at the head of its stack.
                assertEquals(starts, log.count(":WARN"));
                assertEquals(starts, log.count("java.lang.NoClassDefFoundError: " + REASON));
            }
        }
    }
}
