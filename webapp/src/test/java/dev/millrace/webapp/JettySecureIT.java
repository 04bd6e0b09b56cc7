package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS and HTTP/2 of both connectors in the Jetty distribution, with the WAR deployed by its module. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JettySecureIT {
    private static final String PASSWORD = "changeit";
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String MODULES =
            "millrace-bio-h2,millrace-bio-h2c,millrace-nio-h2,millrace-nio-h2c,millrace-uuid,forwarded,requestlog";

    private ServerProcess server;
    private SSLContext trust;
    private Path requests;

    @BeforeAll
    void start(@TempDir Path base) throws Exception {
        JettyBase jetty = JettyBase.create(base, MODULES);
        Files.copy(Path.of(System.getProperty("millrace.war")), base.resolve("lib/millrace/millrace.war"));
        trust = trust(makeKey(base));
        requests = base.resolve("requests.log");
        server = jetty.start(
                "jetty.sslContext.keyStorePassword=" + PASSWORD,
                "millrace.uuid.contextPath=/app",
                "jetty.requestlog.filePath=" + requests,
                "millrace.bio.host=localhost",
                "millrace.bio.port=0",
                "millrace.bio.https.host=localhost",
                "millrace.bio.https.port=0",
                "millrace.nio.host=localhost",
                "millrace.nio.port=0",
                "millrace.nio.https.host=localhost",
                "millrace.nio.https.port=0");
        server.await("Started oejs\\.Server@");
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    /** The path at which Jetty's module ssl-context expects the key store. */
    private static Path makeKey(Path base) throws Exception {
        Path file = base.resolve("etc/keystore.p12");
        try (ServerProcess keytool = ServerProcess.command(
                base,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "jetty",
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
                        PASSWORD))) {
            assertEquals(0, keytool.exitCode(), () -> keytool.out() + " " + keytool.err());
        }
        return file;
    }

    private static SSLContext trust(Path file) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }

    private HttpClient client(HttpClient.Version version) {
        return HttpClient.newBuilder()
                .sslContext(trust)
                .version(version)
                .connectTimeout(LIMIT)
                .build();
    }

    /** The application's address at a connector. */
    private URI url(String connector, String path) throws Exception {
        String port = server.await("Started " + connector + "@.*:(\\d+)}").group(1);
        return URI.create((connector.endsWith("https") ? "https" : "http") + "://localhost:" + port + "/app" + path);
    }

    private static HttpRequest get(URI url) {
        return HttpRequest.newBuilder(url).timeout(LIMIT).build();
    }

    @ParameterizedTest
    @CsvSource({
        "bio-https,HTTP_2",
        "bio-https,HTTP_1_1",
        "nio-https,HTTP_2",
        "nio-https,HTTP_1_1",
        "bio,HTTP_2",
        "nio,HTTP_2"
    })
    void speaksTheProtocolThatTheClientPrefers(String connector, HttpClient.Version version) throws Exception {
        HttpResponse<String> hello =
                client(version).send(get(url(connector, "/hello")), HttpResponse.BodyHandlers.ofString());
        assertEquals("Hello, World!", hello.body());
        assertEquals(version, hello.version());
        assertEquals(connector.endsWith("https"), hello.sslSession().isPresent());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bio-https", "nio-https"})
    void servesManyRequestsOfOneConnectionAtOnce(String connector) throws Exception {
        HttpClient client = client(HttpClient.Version.HTTP_2);
        HttpRequest uuids = HttpRequest.newBuilder(url(connector, "/generate-uuid"))
                .timeout(LIMIT)
                .header("Content-Type", "text/xml")
                .POST(HttpRequest.BodyPublishers.ofString("<request><generate-uuid count='10'/></request>"))
                .build();
        List<CompletableFuture<HttpResponse<String>>> answers = Stream.generate(
                        () -> client.sendAsync(uuids, HttpResponse.BodyHandlers.ofString()))
                .limit(40)
                .toList();
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            HttpResponse<String> response = answer.get();
            assertEquals(200, response.statusCode());
            assertEquals(HttpClient.Version.HTTP_2, response.version());
            assertEquals(10, response.body().split("<uuid>", -1).length - 1, response.body());
        }
    }

    @ParameterizedTest
    @CsvSource({"bio-https,HTTP_2", "bio-https,HTTP_1_1", "nio-https,HTTP_2", "nio-https,HTTP_1_1"})
    void filesHaveTheirBytes(String connector, HttpClient.Version version) throws Exception {
        HttpClient client = client(version);
        String catalog = client.send(get(url(connector, "/files/catalog.json")), HttpResponse.BodyHandlers.ofString())
                .body();
        HttpResponse<byte[]> file =
                client.send(get(url(connector, "/files/1MB.bin")), HttpResponse.BodyHandlers.ofByteArray());
        String md5 = new Http.Answer(file.statusCode(), null, file.body()).md5();
        assertTrue(catalog.contains("{\"name\":\"1MB.bin\",\"size\":1048576,\"md5\":\"" + md5 + "\"}"), catalog);
    }

    /** Over TLS a connector has a copy of the server's configuration of HTTP, with what Jetty's module forwarded adds to that. */
    @ParameterizedTest
    @CsvSource({"bio-https,203.0.113.7", "nio-https,203.0.113.8"})
    void aBalancerTellsWhoTheClientIs(String connector, String address) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(url(connector, "/hello"))
                .timeout(LIMIT)
                .header("X-Forwarded-For", address)
                .build();
        assertEquals(
                200,
                client(HttpClient.Version.HTTP_1_1)
                        .send(request, HttpResponse.BodyHandlers.discarding())
                        .statusCode());
        // A client has an answer before the server logs it.
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!Files.readString(requests).contains(address + " - ") && System.nanoTime() < end) {
            Thread.yield();
        }
        assertTrue(Files.readString(requests).contains(address + " - "), () -> address + " is not in " + requests);
    }
}
