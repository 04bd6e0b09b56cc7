package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.millrace.connector.NioConnector;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.web.client.RestClient;

/** A test with a server knows its port. */
@SpringBootTest(classes = HelloApplication.class, webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class RandomPortTest {
    @LocalServerPort
    private int port;

    @Autowired
    private ServletWebServerApplicationContext context;

    @Test
    void theConnectorListensThere() {
        assertInstanceOf(
                NioConnector.class,
                ((JettyWebServer) context.getWebServer()).getServer().getConnectors()[0]);
        assertEquals(
                "http: hello",
                RestClient.create("http://localhost:" + port)
                        .get()
                        .uri("/hello")
                        .retrieve()
                        .body(String.class));
    }
}
