package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.millrace.connector.BioConnector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Reactive applications are served too. */
class WebFluxTest {
    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Reactive {
        @RestController
        static class Hello {
            @GetMapping("/hello")
            Mono<String> hello() {
                return Mono.just("reactive: hello");
            }
        }
    }

    @Test
    void servesByTheConnector() throws Exception {
        try (var context = (ReactiveWebServerApplicationContext) SpringApplication.run(
                Reactive.class,
                "--spring.main.web-application-type=reactive",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--millrace.connector=bio",
                "--server.port=0")) {
            JettyWebServer web = (JettyWebServer) context.getWebServer();
            assertInstanceOf(BioConnector.class, web.getServer().getConnectors()[0]);
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://localhost:" + web.getPort() + "/hello"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals("reactive: hello", answer.body());
        }
    }
}
