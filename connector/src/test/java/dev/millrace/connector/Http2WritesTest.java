package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerConnection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.HttpConfiguration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class Http2WritesTest {
    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void collectsFramesForOneWrite(Connectors connectors) throws Exception {
        AtomicInteger threshold = new AtomicInteger();
        TestServer plain =
                new TestServer(s -> connectors.on(s, new HTTP2CServerConnectionFactory(new HttpConfiguration())));
        try (TestServer server = plain.start(Handlers.of((request, response, callback) -> {
                    HTTP2ServerConnection connection = (HTTP2ServerConnection)
                            request.getConnectionMetaData().getConnection();
                    threshold.set(connection.getSession().getWriteThreshold());
                    Content.Sink.write(response, true, "fine", callback);
                }));
                RawClient client = server.client()) {
            assertEquals("fine", new Http2Frames(client).get("/").content());
            assertEquals(128 * 1024, threshold.get());
        }
    }
}
