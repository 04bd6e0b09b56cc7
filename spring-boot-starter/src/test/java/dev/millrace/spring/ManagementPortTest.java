package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.BioConnector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The server of management.server.port is served by the same kind of connector. */
class ManagementPortTest {
    @Configuration
    @Import(HelloApplication.class)
    static class Managed {
        @Bean
        AtomicReference<Server> management() {
            return new AtomicReference<>();
        }

        @Bean
        ApplicationListener<WebServerInitializedEvent> listener(AtomicReference<Server> management) {
            return event -> {
                if ("management".equals(event.getApplicationContext().getServerNamespace())) {
                    management.set(((JettyWebServer) event.getWebServer()).getServer());
                }
            };
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void servesByTheSameConnector() throws Exception {
        try (RunningApp app =
                RunningApp.start(Managed.class, "--management.server.port=0", "--millrace.connector=bio")) {
            Server management = ((AtomicReference<Server>) app.context().getBean("management")).get();
            BioConnector connector =
                    assertInstanceOf(BioConnector.class, management.getConnectors()[0]);
            assertNotEquals(app.port(), connector.getLocalPort());
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(
                                            "http://localhost:" + connector.getLocalPort() + "/actuator/health"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals(200, answer.statusCode());
            assertTrue(answer.body().contains("\"UP\""), answer.body());
            assertEquals("http: hello", app.get("/hello").body());
        }
    }
}
