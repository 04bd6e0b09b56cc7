package dev.millrace.examples.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.connector.BioConnector;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

class SpringExampleTest {
    private static final String PASSWORD = "changeit";
    private static final String[] OPTIONS = {
        "--server.port=0",
        "--server.jetty.connection-idle-timeout=12345ms",
        "--server.http2.enabled=true",
        "--spring.main.banner-mode=off",
        "--logging.level.root=warn"
    };

    private static void run(SSLContext trust, String scheme, String... options) throws Exception {
        try (var context = (ServletWebServerApplicationContext) SpringApplication.run(SpringExample.class, options)) {
            JettyWebServer web = (JettyWebServer) context.getWebServer();
            Connector[] connectors = web.getServer().getConnectors();
            assertEquals(1, connectors.length);
            BioConnector connector = assertInstanceOf(BioConnector.class, connectors[0]);
            assertEquals(12_345, connector.getIdleTimeout());
            URI url = URI.create(scheme + "://localhost:" + web.getPort() + "/hello");
            HttpResponse<String> answer = HttpClient.newBuilder()
                    .sslContext(trust)
                    .build()
                    .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString());
            assertEquals(scheme + ": Hello from Spring", answer.body());
            assertEquals(HttpClient.Version.HTTP_2, answer.version());
        }
    }

    @Test
    void servesByOurConnector() throws Exception {
        run(SSLContext.getDefault(), "http", OPTIONS);
    }

    @Test
    void keepsToTheLimitOfConnections() throws Exception {
        try (var context = (ServletWebServerApplicationContext) SpringApplication.run(
                SpringExample.class,
                Stream.concat(Stream.of(OPTIONS), Stream.of("--server.jetty.max-connections=7"))
                        .toArray(String[]::new))) {
            Server server = ((JettyWebServer) context.getWebServer()).getServer();
            BioConnector connector = assertInstanceOf(BioConnector.class, server.getConnectors()[0]);
            assertEquals(7, connector.getMaxConnections());
            assertNull(server.getBean(NetworkConnectionLimit.class), "a limit of a connector that is not there");
        }
    }

    @Test
    void sendsFilesByTheKernel(@TempDir Path folder) throws Exception {
        Files.write(folder.resolve("file.bin"), new byte[100_000]);
        try (var context = (ServletWebServerApplicationContext) SpringApplication.run(
                SpringExample.class,
                Stream.concat(Stream.of(OPTIONS), Stream.of("--files.directory=" + folder))
                        .toArray(String[]::new))) {
            int port = ((JettyWebServer) context.getWebServer()).getPort();
            HttpResponse<byte[]> answer = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .build()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/files/file.bin"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofByteArray());
            assertEquals(100_000, answer.body().length);
            assertEquals(
                    "yes", answer.headers().firstValue("X-Millrace-Sendfile").orElse("no header"));
        }
    }

    @Test
    void takesOverTlsAndItsProtocols(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("keystore.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "spring",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, keytool.waitFor(), output);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(keys);
        SSLContext trust = SSLContext.getInstance("TLS");
        trust.init(null, factory.getTrustManagers(), null);
        run(
                trust,
                "https",
                Stream.concat(
                                Stream.of(OPTIONS),
                                Stream.of(
                                        "--server.ssl.key-store=" + file,
                                        "--server.ssl.key-store-password=" + PASSWORD))
                        .toArray(String[]::new));
    }
}
