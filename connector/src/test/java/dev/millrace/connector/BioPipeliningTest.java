package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that came together are answered by the connection's own thread: Jetty's parser says late that one has no content. */
@Timeout(60)
class BioPipeliningTest {
    private static final int REQUESTS = 16;

    @Test
    void answersPipelinedRequestsWithoutAnotherThread() throws Exception {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < REQUESTS; i++) {
            requests.append("GET /").append(i).append(" HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }
        try (TestServer server = new TestServer(BioConnector::new).start(Handlers.path());
                RawClient client = server.client().send(requests.toString())) {
            for (int i = 0; i < REQUESTS; i++) {
                assertEquals("/" + i, client.answer().text());
            }
            ConnectorStatistics statistics = ((BioConnector) server.connector()).getConnectorStatistics();
            assertEquals(0, statistics.getBackgroundWrites());
            assertEquals(0, statistics.getHandOvers());
        }
    }
}
