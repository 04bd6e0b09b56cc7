package dev.millrace.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** A key of its own for each JVM, made by the JDK's keytool: that takes most of a second. */
public final class Tls {
    private static final char[] PASSWORD = "password".toCharArray();
    private static final String LOCALHOST = "localhost";

    private final KeyStore keys;
    private final boolean isClientKnown;
    private SSLContext client;

    /** Made when the first is asked for. */
    private static final class Made {
        private static final KeyStore KEYS = makeKey(LOCALHOST);
    }

    public Tls() {
        this(Made.KEYS, false);
    }

    private Tls(KeyStore keys, boolean isClientKnown) {
        this.keys = keys;
        this.isClientKnown = isClientKnown;
    }

    /** With a second key, for a host of this name, which takes most of a second again. */
    public static Tls withHost(String host) {
        KeyStore both = makeKey(host);
        try {
            Key key = Made.KEYS.getKey(LOCALHOST, PASSWORD);
            both.setKeyEntry(LOCALHOST, key, PASSWORD, Made.KEYS.getCertificateChain(LOCALHOST));
        } catch (GeneralSecurityException x) {
            throw new IllegalStateException("no second key", x);
        }
        return new Tls(both, false);
    }

    /** Its clients show a certificate, which is that of the server. */
    public static Tls ofKnownClients() {
        return new Tls(Made.KEYS, true);
    }

    /** With what {@link #store} wrote, in another process. */
    public static Tls stored(Path file) throws IOException, GeneralSecurityException {
        return new Tls(KeyStore.getInstance(file.toFile(), PASSWORD), false);
    }

    public Path store(Path file) throws IOException, GeneralSecurityException {
        try (OutputStream out = Files.newOutputStream(file)) {
            keys.store(out, PASSWORD);
        }
        return file;
    }

    private static KeyStore makeKey(String host) {
        try {
            Path directory = Files.createTempDirectory("keys");
            Path file = directory.resolve("test.p12");
            keytool(host, file);
            KeyStore keys = KeyStore.getInstance(file.toFile(), PASSWORD);
            Files.delete(file);
            Files.delete(directory);
            return keys;
        } catch (IOException | GeneralSecurityException | InterruptedException x) {
            throw new IllegalStateException("no key", x);
        }
    }

    private static void keytool(String host, Path file) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        // What derives a key from the password is repeated 10,000 times by default: ten milliseconds for each server of
        // a test.
        command.add("-J-Dkeystore.pkcs12.keyPbeIterationCount=1");
        command.addAll(List.of("-genkeypair", "-alias", host, "-keyalg", "EC", "-dname", "CN=" + host));
        command.addAll(List.of("-ext", "san=dns:" + host + (host.equals(LOCALHOST) ? ",ip:127.0.0.1" : "")));
        command.addAll(List.of("-validity", "2", "-storetype", "PKCS12"));
        command.addAll(List.of("-storepass", new String(PASSWORD), "-keystore", file.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("keytool: " + output);
        }
    }

    public SslContextFactory.Server server() {
        SslContextFactory.Server ssl = new SslContextFactory.Server();
        ssl.setKeyStore(keys);
        ssl.setKeyStorePassword(new String(PASSWORD));
        // Else the JDK would read its own.
        ssl.setTrustStore(keys);
        return ssl;
    }

    public synchronized SSLContext client() throws Exception {
        if (client == null) {
            client = newClient();
        }
        return client;
    }

    private SSLContext newClient() throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(keys);
        KeyManagerFactory shown = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        shown.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(isClientKnown ? shown.getKeyManagers() : null, trust.getTrustManagers(), null);
        return context;
    }

    /** The first record of a client, which begins a handshake. */
    public byte[] hello() throws Exception {
        SSLEngine engine = client().createSSLEngine("localhost", 443);
        engine.setUseClientMode(true);
        ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), record);
        byte[] bytes = new byte[record.flip().remaining()];
        record.get(bytes);
        return bytes;
    }

    public RawClient connect(int port) throws Exception {
        return over(new Socket("127.0.0.1", port));
    }

    /** Over a connection that has been used already, maybe. */
    public RawClient over(Socket plain, String... applicationProtocols) throws Exception {
        return over(plain, LOCALHOST, List.of(), applicationProtocols);
    }

    /** A client that names the host which it wants (SNI, RFC 6066 section 3). */
    public RawClient naming(String host, Socket plain, String... applicationProtocols) throws Exception {
        return over(plain, host, List.of(new SNIHostName(host)), applicationProtocols);
    }

    private RawClient over(Socket plain, String host, List<SNIServerName> named, String... applicationProtocols)
            throws Exception {
        SSLSocket socket = (SSLSocket) client().getSocketFactory().createSocket(plain, host, plain.getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setServerNames(named);
        parameters.setApplicationProtocols(applicationProtocols);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return new RawClient(socket);
    }
}
