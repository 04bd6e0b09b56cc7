package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.jetty.reactive.JettyReactiveWebServerFactory;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.reactive.JettyResourceFactory;
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

    /** A factory of the application's own, whose servers have threads and buffers together with clients. */
    @Configuration
    @Import(Reactive.class)
    static class Sharing {
        @Bean
        JettyResourceFactory resources() {
            return new JettyResourceFactory();
        }

        @Bean
        JettyReactiveWebServerFactory factory(JettyResourceFactory resources) {
            JettyReactiveWebServerFactory factory = new JettyReactiveWebServerFactory();
            factory.setResourceFactory(resources);
            return factory;
        }
    }

    private static ReactiveWebServerApplicationContext start(Class<?> application, String kind) {
        return (ReactiveWebServerApplicationContext) SpringApplication.run(
                application,
                "--spring.main.web-application-type=reactive",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--millrace.connector=" + kind,
                "--server.port=0");
    }

    private static String hello(JettyWebServer web) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + web.getPort() + "/hello"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void servesByTheConnector() throws Exception {
        try (var context = start(Reactive.class, "bio")) {
            JettyWebServer web = (JettyWebServer) context.getWebServer();
            assertInstanceOf(BioConnector.class, web.getServer().getConnectors()[0]);
            assertEquals("reactive: hello", hello(web));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "bio"})
    void sharedThreadsAndBuffersStayShared(String kind) throws Exception {
        try (var context = start(Sharing.class, kind)) {
            JettyResourceFactory resources = context.getBean(JettyResourceFactory.class);
            JettyWebServer web = (JettyWebServer) context.getWebServer();
            MillraceConnector connector =
                    assertInstanceOf(MillraceConnector.class, web.getServer().getConnectors()[0]);
            assertSame(resources.getExecutor(), connector.getExecutor());
            assertSame(resources.getScheduler(), connector.getScheduler());
            assertSame(resources.getByteBufferPool(), connector.getByteBufferPool());
            assertEquals("reactive: hello", hello(web));
        }
    }
}
