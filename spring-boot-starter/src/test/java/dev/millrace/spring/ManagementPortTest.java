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
import org.eclipse.jetty.server.ServerConnector;
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

    @SuppressWarnings("unchecked")
    private static Server management(RunningApp app) {
        return ((AtomicReference<Server>) app.context().getBean("management")).get();
    }

    /** The exclusion is of the main context, and the management context has a configuration of its own. */
    @Test
    void isJettysOwnWhereTheAutoConfigurationIsExcluded() {
        try (RunningApp app = RunningApp.start(
                Managed.class,
                "--spring.autoconfigure.exclude=" + MillraceAutoConfiguration.class.getName(),
                "--management.server.port=0")) {
            assertEquals(
                    ServerConnector.class, management(app).getConnectors()[0].getClass());
            assertEquals(ServerConnector.class, app.server().getConnectors()[0].getClass());
        }
    }

    @Test
    void servesByTheSameConnector() throws Exception {
        try (RunningApp app =
                RunningApp.start(Managed.class, "--management.server.port=0", "--millrace.connector=bio")) {
            BioConnector connector =
                    assertInstanceOf(BioConnector.class, management(app).getConnectors()[0]);
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
