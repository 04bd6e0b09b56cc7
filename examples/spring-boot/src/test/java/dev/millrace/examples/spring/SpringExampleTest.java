package dev.millrace.examples.spring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.millrace.connector.NioConnector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

class SpringExampleTest {
    private final byte[] bytes = new byte[200_000];

    @TempDir
    Path folder;

    private interface Action {
        void run(JettyWebServer web) throws Exception;
    }

    @BeforeEach
    void writeFiles() throws Exception {
        new Random(1).nextBytes(bytes);
        for (String directory : new String[] {"static", "downloads"}) {
            Files.write(Files.createDirectory(folder.resolve(directory)).resolve("file.bin"), bytes);
        }
    }

    private void run(Action action) throws Exception {
        try (var context = (ServletWebServerApplicationContext) SpringApplication.run(
                SpringExample.class,
                "--server.port=0",
                "--server.http2.enabled=true",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--spring.web.resources.static-locations=file:" + folder + "/static/",
                "--millrace.xsendfile.roots=" + folder + "/downloads")) {
            action.run((JettyWebServer) context.getWebServer());
        }
    }

    private static HttpResponse<byte[]> get(HttpClient.Version version, JettyWebServer web, String path)
            throws Exception {
        return HttpClient.newBuilder()
                .version(version)
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + web.getPort() + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
    }

    @Test
    void servesByOurConnector() throws Exception {
        run(web -> {
            assertInstanceOf(NioConnector.class, web.getServer().getConnectors()[0]);
            HttpResponse<byte[]> answer = get(HttpClient.Version.HTTP_2, web, "/hello");
            assertEquals("http: Hello from Spring", new String(answer.body(), StandardCharsets.UTF_8));
            assertEquals(HttpClient.Version.HTTP_2, answer.version());
        });
    }

    @Test
    void sendsFilesByTheKernel() throws Exception {
        run(web -> {
            for (String path : new String[] {"/file.bin", "/downloads/file.bin"}) {
                HttpResponse<byte[]> answer = get(HttpClient.Version.HTTP_1_1, web, path);
                assertEquals(200, answer.statusCode(), path);
                assertArrayEquals(bytes, answer.body(), path);
                assertEquals(Optional.of("yes"), answer.headers().firstValue("X-Millrace-Sendfile"), path);
            }
            assertEquals(
                    404,
                    get(HttpClient.Version.HTTP_1_1, web, "/downloads/missing").statusCode());
        });
    }
}
