package dev.millrace.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A key with a certificate signed by itself, made by the JDK's keytool. */
public final class TestCertificate {

    private static final String PASSWORD = "changeit";

    private final Path store;
    private final Path pem;

    /**
     * Makes a key.
     *
     * @param folder for its files
     * @param names  subject alternative names, such as {@code ip:127.0.0.1}
     */
    public TestCertificate(Path folder, String names) throws IOException {
        store = folder.resolve("key.p12");
        pem = folder.resolve("certificate.pem");
        Files.createDirectories(folder);
        keytool("-genkeypair", "-keyalg", "EC", "-dname", "CN=test", "-ext", "san=" + names);
        keytool("-exportcert", "-rfc", "-file", pem.toString());
    }

    /** The certificate in PEM. */
    public Path pem() {
        return pem;
    }

    /** A context for servers with the key. */
    public SSLContext context() throws IOException {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(keys, PASSWORD.toCharArray());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(factory.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private void keytool(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        // It ends in a moment. What derives a key from the password is repeated 10,000 times by default.
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.add("-J-Dkeystore.pkcs12.keyPbeIterationCount=1");
        command.addAll(List.of(arguments));
        command.addAll(List.of("-alias", "key", "-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(List.of("-keystore", store.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }
}
