package dev.millrace.examples.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.NetworkConnector;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;

class EmbeddedTest {
    @Test
    void bothConnectorsAnswer() throws Exception {
        Server server = Embedded.server(0, 0);
        server.start();
        try {
            List<String> answers = new ArrayList<>();
            for (Connector connector : server.getConnectors()) {
                URI url = URI.create("http://127.0.0.1:" + ((NetworkConnector) connector).getLocalPort() + "/");
                answers.add(HttpClient.newHttpClient()
                        .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString())
                        .body());
            }
            assertEquals(List.of("Hello by BioConnector", "Hello by NioConnector"), answers);
        } finally {
            server.stop();
        }
    }
}
