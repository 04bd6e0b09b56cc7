package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.SslBundles;

/** The key and the certificate of a bundle are files of their own, which change one after the other, or both at once. */
class ChangedPemTest {
    private static final String KEY = "key.pem";
    private static final String CERTIFICATE = "certificate.pem";

    @TempDir
    Path folder;

    private SSLContext before;
    private SSLContext after;
    /** One for each change of the bundle that the server has heard of. */
    private final Semaphore told = new Semaphore(0);

    private RunningApp app;

    private SSLContext make(String alias) throws Exception {
        Path store = folder.resolve(alias + ".p12");
        SSLContext trust = Keys.make(store, alias);
        KeyStore keys = KeyStore.getInstance(store.toFile(), Keys.PASSWORD.toCharArray());
        Key key = keys.getKey(alias, Keys.PASSWORD.toCharArray());
        Path made = Files.createDirectories(folder.resolve(alias));
        Files.writeString(made.resolve(KEY), pem("PRIVATE KEY", key.getEncoded()));
        Files.writeString(
                made.resolve(CERTIFICATE),
                pem("CERTIFICATE", keys.getCertificate(alias).getEncoded()));
        return trust;
    }

    private static String pem(String label, byte[] content) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                + label + "-----\n";
    }

    private void put(String alias, String file) throws IOException {
        Path copy = Files.copy(folder.resolve(alias).resolve(file), folder.resolve("new"));
        Files.move(copy, folder.resolve("served").resolve(file), StandardCopyOption.ATOMIC_MOVE);
    }

    @BeforeEach
    void make() throws Exception {
        before = make("before");
        after = make("after");
        Files.createDirectory(folder.resolve("served"));
        put("before", KEY);
        put("before", CERTIFICATE);
    }

    private void start() {
        app = RunningApp.start(
                HelloApplication.class,
                "--server.ssl.bundle=web",
                "--spring.ssl.bundle.pem.web.keystore.private-key=file:"
                        + folder.resolve("served").resolve(KEY),
                "--spring.ssl.bundle.pem.web.keystore.certificate=file:"
                        + folder.resolve("served").resolve(CERTIFICATE),
                "--spring.ssl.bundle.pem.web.reload-on-update=true",
                "--spring.ssl.bundle.watch.file.quiet-period=10ms",
                "--logging.level.dev.millrace.spring.BundleReload=off",
                "--logging.level.org.springframework.boot.autoconfigure.ssl=off");
        // Called after the server's own.
        app.context().getBean(SslBundles.class).addBundleUpdateHandler("web", changed -> told.release());
    }

    @AfterEach
    void stop() {
        app.close();
    }

    private void awaitChange() throws InterruptedException {
        assertTrue(told.tryAcquire(60, TimeUnit.SECONDS));
    }

    private boolean isServed(SSLContext trust) throws Exception {
        try {
            return HttpClient.newBuilder()
                            .sslContext(trust)
                            .build()
                            .send(
                                    HttpRequest.newBuilder(URI.create("https://localhost:" + app.port() + "/hello"))
                                            .build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (SSLException x) {
            return false;
        }
    }

    private void awaitServed(SSLContext trust) throws Exception {
        while (!isServed(trust)) {
            awaitChange();
        }
    }

    @Test
    void theKeyComesFirst() throws Exception {
        start();
        put("after", KEY);
        awaitChange();
        assertTrue(isServed(before));
        put("after", CERTIFICATE);
        awaitServed(after);
    }

    @Test
    void theCertificateComesFirst() throws Exception {
        start();
        put("after", CERTIFICATE);
        awaitChange();
        assertTrue(isServed(before));
        put("after", KEY);
        awaitServed(after);
    }

    @Test
    void oneIsHalfWrittenAndThenGone() throws Exception {
        start();
        Path key = folder.resolve("served").resolve(KEY);
        // Spring Boot tells of neither: it cannot read the bundle.
        Files.writeString(key, Files.readString(key).substring(0, 60));
        assertTrue(isServed(before));
        Files.delete(key);
        assertTrue(isServed(before));
        put("after", CERTIFICATE);
        put("after", KEY);
        awaitServed(after);
    }

    /** As Kubernetes does. */
    @Test
    void bothChangeByOneLink() throws Exception {
        Path served = folder.resolve("served");
        Path data = served.resolve("..data");
        Files.createSymbolicLink(data, folder.resolve("before"));
        for (String file : new String[] {KEY, CERTIFICATE}) {
            Files.delete(served.resolve(file));
            Files.createSymbolicLink(served.resolve(file), Path.of("..data", file));
        }
        start();
        SSLContext trust = before;
        for (String next : new String[] {"after", "before", "after"}) {
            assertTrue(isServed(trust));
            Path link = Files.createSymbolicLink(served.resolve("..tmp"), folder.resolve(next));
            Files.move(link, data, StandardCopyOption.ATOMIC_MOVE);
            trust = next.equals("after") ? after : before;
            awaitServed(trust);
        }
    }
}
