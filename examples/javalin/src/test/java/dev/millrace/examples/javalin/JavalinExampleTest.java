package dev.millrace.examples.javalin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.millrace.connector.BioConnector;
import io.javalin.Javalin;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.eclipse.jetty.server.Connector;
import org.junit.jupiter.api.Test;

class JavalinExampleTest {
    @Test
    void ourConnectorIsTheOnlyOne() throws Exception {
        Javalin application = JavalinExample.application(0).start();
        try {
            Connector[] connectors = application.jettyServer().server().getConnectors();
            assertEquals(1, connectors.length);
            assertInstanceOf(BioConnector.class, connectors[0]);
            URI url = URI.create("http://127.0.0.1:" + application.port() + "/hello");
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString());
            assertEquals("Hello from Javalin", answer.body());
        } finally {
            application.stop();
        }
    }
}
