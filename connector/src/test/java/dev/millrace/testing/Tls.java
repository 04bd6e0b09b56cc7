package dev.millrace.testing;

import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** A key of its own for each run, made by the JDK's keytool. */
public final class Tls {
    private static final String PASSWORD = "password";
    /**
     * What derives a key from the password is repeated 10,000 times for each of these by default: ten milliseconds, each time that a
     * server or a client of a test opens the file.
     */
    private static final List<String> DERIVATIONS = List.of("certPbe", "keyPbe", "mac");

    private static byte[] keys;

    private final Path keyStore;
    private SSLContext client;

    public Tls(Path directory) throws Exception {
        keyStore = directory.resolve("test.p12");
        // Cases that run at once share a directory, and may ask at the same moment.
        synchronized (Tls.class) {
            if (!Files.exists(keyStore)) {
                Files.write(keyStore, keys());
            }
        }
    }

    // Once: keytool takes most of a second.
    private static synchronized byte[] keys() throws Exception {
        if (keys == null) {
            Path directory = Files.createTempDirectory("keys");
            Path file = directory.resolve("made.p12");
            makeKey(file);
            keys = Files.readAllBytes(file);
            Files.delete(file);
            Files.delete(directory);
        }
        return keys;
    }

    private static void makeKey(Path file) throws Exception {
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        List<String> command = new ArrayList<>(List.of(keytool.toString()));
        DERIVATIONS.forEach(of -> command.add("-J-Dkeystore.pkcs12." + of + "IterationCount=1"));
        command.addAll(List.of("-genkeypair", "-alias", "test", "-keyalg", "EC", "-dname", "CN=localhost"));
        command.addAll(List.of("-ext", "san=dns:localhost,ip:127.0.0.1", "-validity", "2"));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", file.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("keytool: " + output);
        }
    }

    public SslContextFactory.Server server() {
        SslContextFactory.Server ssl = new SslContextFactory.Server();
        ssl.setKeyStorePath(keyStore.toString());
        ssl.setKeyStorePassword(PASSWORD);
        return ssl;
    }

    public synchronized SSLContext client() throws Exception {
        if (client == null) {
            client = newClient();
        }
        return client;
    }

    private SSLContext newClient() throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keyStore)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    public RawClient connect(int port) throws Exception {
        return over(new Socket("127.0.0.1", port));
    }

    /** Over a connection that has been used already, maybe. */
    public RawClient over(Socket plain, String... applicationProtocols) throws Exception {
        SSLSocket socket =
                (SSLSocket) client().getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(applicationProtocols);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return new RawClient(socket);
    }
}
