package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cache of header fields that each connection would have. */
class HeaderCacheTest {
    /** Answers the capacity of the connection's cache. */
    private final Handler capacity = Handlers.text(request -> {
        HttpConnection connection =
                (HttpConnection) request.getConnectionMetaData().getConnection();
        return "" + connection.getParser().getHeaderCacheSize();
    });

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void isOffUnlessWanted(Connectors connectors) throws Exception {
        TestServer server = new TestServer(connectors::http);
        MillraceConnector connector = server.millrace();
        try (server;
                RawClient one = server.start(capacity).client()) {
            assertEquals("0", one.get("/").answer().text());
            connector.setHeaderCacheSize(512);
            try (RawClient two = server.client()) {
                assertEquals("512", two.get("/").answer().text());
            }
            connector.setHeaderCacheSize(-1);
            try (RawClient three = server.client()) {
                assertEquals("1024", three.get("/").answer().text());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void isOffInsideTls(Connectors connectors) throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        try (server;
                RawClient client = tls.connect(server.start(capacity).port())) {
            assertEquals("0", client.get("/").answer().text());
        }
    }
}
