package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Key stores that the JDK's keytool makes, each key once: that takes most of a second. */
final class Keys {
    static final String PASSWORD = "changeit";

    private static final Map<String, byte[]> STORES = new HashMap<>();

    private Keys() {}

    /**
     * Puts a store with a key in the place of what is there.
     *
     * @param alias the name of the key: each name has a key of its own
     * @return what trusts that key
     */
    static synchronized SSLContext make(Path file, String alias) throws Exception {
        Path made = file.resolveSibling(file.getFileName() + "-" + alias);
        if (STORES.containsKey(alias)) {
            Files.write(made, STORES.get(alias));
        } else {
            makeKey(made, alias);
            STORES.put(alias, Files.readAllBytes(made));
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(made)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(keys);
        SSLContext trust = SSLContext.getInstance("TLS");
        trust.init(null, factory.getTrustManagers(), null);
        return trust;
    }

    private static void makeKey(Path made, String alias) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        alias,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        made.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, keytool.waitFor(), output);
    }
}
