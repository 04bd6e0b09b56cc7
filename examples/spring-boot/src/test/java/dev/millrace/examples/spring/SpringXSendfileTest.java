package dev.millrace.examples.spring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.xsendfile.XSendfileHandler;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A Spring application that names a file, which the server sends. */
class SpringXSendfileTest {

    /** Beside the example's own, in this test only. */
    @RestController
    @Profile("downloads")
    static class Downloads {
        private final Path folder;

        Downloads(@Value("${files.directory}") String directory) {
            this.folder = Path.of(directory);
        }

        @Bean
        WebServerFactoryCustomizer<JettyServletWebServerFactory> xSendfile() {
            return factory -> factory.addServerCustomizers(server -> {
                XSendfileHandler handler = new XSendfileHandler();
                handler.addRoot(folder.toString());
                server.insertHandler(handler);
            });
        }

        @GetMapping("/without-body")
        ResponseEntity<Void> withoutBody() {
            return ResponseEntity.ok()
                    .header("X-Sendfile", folder + "/file.bin")
                    .contentType(MediaType.APPLICATION_PDF)
                    .build();
        }

        /** Spring sets the length of this body. */
        @GetMapping("/with-body")
        ResponseEntity<String> withBody() {
            return ResponseEntity.ok()
                    .header("X-Sendfile", folder + "/file.bin")
                    .contentType(MediaType.APPLICATION_PDF)
                    .body("a body that nobody gets");
        }

        /** As one would without X-Sendfile: nobody writes so much. */
        @GetMapping("/with-length")
        ResponseEntity<Void> withLength() {
            return ResponseEntity.ok()
                    .header("X-Sendfile", folder + "/file.bin")
                    .contentLength(200_000)
                    .build();
        }
    }

    private static HttpResponse<byte[]> get(HttpClient client, JettyWebServer web, String path) throws Exception {
        URI url = URI.create("http://localhost:" + web.getPort() + path);
        HttpResponse<byte[]> answer =
                client.send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofByteArray());
        assertEquals(Optional.empty(), answer.headers().firstValue("X-Sendfile"), path);
        return answer;
    }

    private static void assertFile(byte[] bytes, HttpResponse<byte[]> answer) {
        assertEquals(200, answer.statusCode());
        assertArrayEquals(bytes, answer.body());
        assertEquals(Optional.of("application/pdf"), answer.headers().firstValue(HttpHeaders.CONTENT_TYPE));
    }

    @Test
    void sendsTheFileThatAControllerNames(@TempDir Path folder) throws Exception {
        byte[] bytes = new byte[200_000];
        new Random(1).nextBytes(bytes);
        Files.write(folder.resolve("file.bin"), bytes);
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        try (var context = (ServletWebServerApplicationContext) SpringApplication.run(
                SpringExample.class,
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--spring.profiles.active=downloads",
                "--files.directory=" + folder)) {
            JettyWebServer web = (JettyWebServer) context.getWebServer();
            assertFile(bytes, get(client, web, "/without-body"));
            assertEquals(500, get(client, web, "/with-length").statusCode());
            assertFile(bytes, get(client, web, "/with-body"));
        }
    }
}
