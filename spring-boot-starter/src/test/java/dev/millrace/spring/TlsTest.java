package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.TlsConnectionFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.ssl.SslBundles;

/** TLS as Spring Boot sets it, and certificates that change. */
@ParameterizedClass
@ValueSource(strings = {"nio", "bio"})
class TlsTest {
    @Parameter
    String kind;

    @TempDir
    Path folder;

    private RunningApp start(String... options) {
        return RunningApp.start(
                HelloApplication.class,
                Stream.concat(Stream.of("--millrace.connector=" + kind), Stream.of(options))
                        .toArray(String[]::new));
    }

    private String[] bundle(Path store) {
        return new String[] {
            "--server.ssl.bundle=web",
            "--spring.ssl.bundle.jks.web.keystore.location=file:" + store,
            "--spring.ssl.bundle.jks.web.keystore.password=" + Keys.PASSWORD,
            "--spring.ssl.bundle.jks.web.keystore.type=PKCS12",
            "--spring.ssl.bundle.jks.web.reload-on-update=true",
            "--spring.ssl.bundle.watch.file.quiet-period=10ms",
            "--logging.level.dev.millrace.spring.BundleReload=off"
        };
    }

    /** By a client that has no session of an earlier one. */
    private static HttpResponse<String> hello(RunningApp app, SSLContext trust) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(trust)
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("https://localhost:" + app.port() + "/hello"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static boolean isServed(RunningApp app, SSLContext trust) throws Exception {
        try {
            return hello(app, trust).statusCode() == 200;
        } catch (SSLException x) {
            return false;
        }
    }

    private static void assertManyRecordsAreWrittenAtOnce(RunningApp app, String next) {
        SslConnectionFactory tls = app.connector().getConnectionFactory(SslConnectionFactory.class);
        assertInstanceOf(TlsConnectionFactory.class, tls);
        assertEquals(next, tls.getNextProtocol());
    }

    @Test
    void theKeyStoreIsTheGivenOne() throws Exception {
        Path store = folder.resolve("web.p12");
        SSLContext trust = Keys.make(store, "web");
        try (RunningApp app = start(
                "--server.ssl.key-store=" + store,
                "--server.ssl.key-store-password=" + Keys.PASSWORD,
                "--server.ssl.key-alias=web",
                "--server.ssl.enabled-protocols=TLSv1.3")) {
            assertManyRecordsAreWrittenAtOnce(app, "HTTP/1.1");
            HttpResponse<String> answer = hello(app, trust);
            assertEquals("https: hello", answer.body());
            assertSame(HttpClient.Version.HTTP_1_1, answer.version());
            assertEquals("TLSv1.3", answer.sslSession().orElseThrow().getProtocol());
        }
    }

    @Test
    void http2IsNegotiated() throws Exception {
        Path store = folder.resolve("web.p12");
        SSLContext trust = Keys.make(store, "web");
        try (RunningApp app = start(
                "--server.http2.enabled=true",
                "--server.ssl.key-store=" + store,
                "--server.ssl.key-store-password=" + Keys.PASSWORD)) {
            assertManyRecordsAreWrittenAtOnce(app, "alpn");
            HttpResponse<String> answer = hello(app, trust);
            assertEquals("https: hello", answer.body());
            assertSame(HttpClient.Version.HTTP_2, answer.version());
        }
    }

    @Test
    void connectionsAreLimitedWithTlsToo() throws Exception {
        Path store = folder.resolve("web.p12");
        Keys.make(store, "web");
        try (RunningApp app = start(
                "--server.jetty.max-connections=3",
                "--server.ssl.key-store=" + store,
                "--server.ssl.key-store-password=" + Keys.PASSWORD)) {
            assertEquals(3, app.connector().getMaxConnections());
        }
    }

    @Test
    void aKeyThatIsNotThereKeepsTheServerFromStarting() throws Exception {
        Path store = folder.resolve("web.p12");
        Keys.make(store, "web");
        Throwable failure = assertThrows(
                RuntimeException.class,
                () -> start(
                                "--logging.level.root=off",
                                "--server.ssl.key-store=" + store,
                                "--server.ssl.key-store-password=" + Keys.PASSWORD,
                                "--server.ssl.key-alias=other")
                        .close());
        StringBuilder messages = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            messages.append(cause.getMessage()).append('\n');
        }
        assertTrue(messages.indexOf("Keystore does not contain alias 'other'") >= 0, messages::toString);
    }

    @Test
    void aChangedBundleIsUsed() throws Exception {
        Path store = folder.resolve("web.p12");
        SSLContext before = Keys.make(store, "before");
        try (RunningApp app = start(bundle(store))) {
            assertTrue(isServed(app, before));
            SSLContext after = Keys.make(store, "after");
            while (!isServed(app, after)) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void aBundleThatCannotBeUsedChangesNothing() throws Exception {
        Path store = folder.resolve("web.p12");
        SSLContext trust = Keys.make(store, "web");
        String[] options = Stream.concat(
                        Stream.of(bundle(store)), Stream.of("--spring.ssl.bundle.jks.web.key.alias=web"))
                .toArray(String[]::new);
        try (RunningApp app = start(options)) {
            var context = app.connector()
                    .getConnectionFactory(SslConnectionFactory.class)
                    .getSslContextFactory();
            var loaded = context.getSslContext();
            var told = new CountDownLatch(1);
            // Called after the server's own.
            app.context().getBean(SslBundles.class).addBundleUpdateHandler("web", changed -> told.countDown());
            Keys.make(store, "other");
            assertTrue(told.await(60, TimeUnit.SECONDS));
            assertSame(loaded, context.getSslContext());
            assertTrue(isServed(app, trust));
        }
    }

    @Test
    void filesAreCopied() throws Exception {
        Path store = folder.resolve("web.p12");
        SSLContext trust = Keys.make(store, "web");
        Files.writeString(Files.createDirectory(folder.resolve("static")).resolve("a.txt"), "a".repeat(100_000));
        try (RunningApp app = start(
                "--spring.web.resources.static-locations=file:" + folder + "/static/",
                "--server.ssl.key-store=" + store,
                "--server.ssl.key-store-password=" + Keys.PASSWORD)) {
            HttpResponse<String> answer = HttpClient.newBuilder()
                    .sslContext(trust)
                    .build()
                    .send(
                            HttpRequest.newBuilder(URI.create("https://localhost:" + app.port() + "/a.txt"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals("a".repeat(100_000), answer.body());
        }
    }
}
