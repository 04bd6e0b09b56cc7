package dev.millrace.peers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The packaged program, as the measurements start it. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class PeersIT {
    private static final int SIGTERM = 128 + 15;
    /** Enough that a server that forgets the rest of a write for which the socket had no room is found out. */
    private static final int DOWNLOADS = 20;
    /** Linux acknowledges the first segments of a connection at once. Only later ones show what waits for that. */
    private static final int TURNS = 60;

    private static final boolean HELIDON = Runtime.version().feature() >= 21;

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private static Process start(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // The JVM would warn on standard output.
                "-Xlog:disable",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                System.getProperty("peers.jar")));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).start();
    }

    private static String errors(Process process) throws IOException {
        return new String(process.getErrorStream().readAllBytes(), UTF_8);
    }

    static Stream<String> peers() {
        Stream<String> peers = Stream.of(
                "jetty",
                "jetty-servlet",
                "millrace-handler",
                "millrace-servlet",
                "millrace-default",
                "millrace-servlet --connector=bio --threads=platform --read-ahead-bytes=64",
                "millrace-handler --dispatch=selector --selectors=2 --workers=2",
                "millrace-files",
                "tomcat",
                "undertow");
        return HELIDON ? Stream.concat(peers, Stream.of("helidon")) : peers;
    }

    /** The packaged program while it serves, and its address. */
    private static final class Served implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;
        private String url;

        private Served(String... args) throws IOException {
            process = start(args);
            out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        }

        private void awaitReady() throws IOException {
            String line = String.valueOf(out.readLine());
            assertTrue(line.matches("listening on https?://127\\.0\\.0\\.1:\\d+"), line);
            url = line.substring("listening on ".length());
        }

        private void stop() throws Exception {
            // Process.destroy() would close the streams that are still to be read.
            process.toHandle().destroy();
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            assertEquals(SIGTERM, process.exitValue());
            // Not empty always: Tomcat warns of a machine that is slow to give random numbers.
            String errors = errors(process);
            assertFalse(errors.contains("Exception"), errors);
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            out.close();
        }
    }

    private void assertSaysHello(Served served) throws Exception {
        HttpResponse<byte[]> hello = get(served.url + "/hello");
        assertEquals(200, hello.statusCode());
        assertEquals("Hello, World!", new String(hello.body(), US_ASCII));
        assertEquals(
                "text/plain;charset=utf-8",
                hello.headers()
                        .firstValue("Content-Type")
                        .orElseThrow()
                        .toLowerCase(Locale.ROOT)
                        .replace(" ", ""));
    }

    /** Without TCP_NODELAY an answer waits until the one before it is acknowledged, which Linux does after 40 ms. */
    private static void assertPipelinedAnswersDoNotWait(Served served) throws IOException {
        byte[] requests =
                "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3).getBytes(US_ASCII);
        long leastNanos = Long.MAX_VALUE;
        try (Socket socket = new Socket("127.0.0.1", URI.create(served.url).getPort())) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(20_000);
            for (int turn = 0; turn < TURNS; turn++) {
                long begin = System.nanoTime();
                socket.getOutputStream().write(requests);
                readHellos(socket.getInputStream(), 3);
                if (turn >= TURNS / 2) {
                    leastNanos = Math.min(leastNanos, System.nanoTime() - begin);
                }
            }
        }
        assertTrue(leastNanos < TimeUnit.MILLISECONDS.toNanos(20), leastNanos + " ns");
    }

    private static void readHellos(InputStream in, int count) throws IOException {
        StringBuilder read = new StringBuilder();
        byte[] part = new byte[4096];
        while (read.toString().split("Hello, World!", -1).length <= count) {
            int bytes = in.read(part);
            assertTrue(bytes >= 0, read::toString);
            read.append(new String(part, 0, bytes, US_ASCII));
        }
    }

    @ParameterizedTest
    @MethodSource("peers")
    void servesAndStops(String peer) throws Exception {
        byte[] bytes = new byte[3 << 20];
        new Random(1).nextBytes(bytes);
        Files.write(directory.resolve("a.bin"), bytes);
        List<String> args = new ArrayList<>(List.of(peer.split(" ")));
        args.addAll(List.of("--port=0", "--directory=" + directory, "--max-threads=20"));
        try (Served served = new Served(args.toArray(String[]::new))) {
            served.awaitReady();
            boolean filesOnly = peer.equals("millrace-files");
            if (filesOnly) {
                assertEquals(404, get(served.url + "/hello").statusCode());
            } else {
                assertSaysHello(served);
                assertPipelinedAnswersDoNotWait(served);
            }
            for (int i = 0; i < DOWNLOADS; i++) {
                byte[] file = get(served.url + "/files/a.bin").body();
                assertEquals(bytes.length, file.length);
                assertArrayEquals(md5(bytes), md5(file));
            }
            assertEquals(404, get(served.url + "/files/b.bin").statusCode());
            boolean servlets = !filesOnly && !peer.equals("undertow") && !peer.equals("helidon");
            assertEquals(
                    servlets ? 200 : 404,
                    get(served.url + "/generate-uuid?method=RANDOM").statusCode());
            served.stop();
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void bareVirtualThreadsSayHello() throws Exception {
        try (Served served = new Served("virtual-threads", "--directory=" + directory)) {
            served.awaitReady();
            assertSaysHello(served);
            assertSaysHello(served);
            served.stop();
        }
    }

    /** The name of HTTP/1.1 in ALPN has small letters (RFC 7301 section 6), unlike its version. */
    @Test
    void offersBothProtocolsByAlpn() throws Exception {
        Path key = directory.resolve("key.p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        String options =
                "-genkeypair -keyalg EC -alias server -dname CN=localhost -storetype PKCS12 -storepass measured -keystore";
        List<String> command = new ArrayList<>(List.of(keytool));
        command.addAll(List.of(options.split(" ")));
        command.add(key.toString());
        Process made = new ProcessBuilder(command).start();
        assertEquals(0, made.waitFor(), errors(made));
        try (Served served = new Served("millrace-handler", "--directory=" + directory, "--tls=" + key, "--http2")) {
            served.awaitReady();
            for (String protocol : List.of("h2", "http/1.1")) {
                try (SSLSocket socket = trustAll(URI.create(served.url).getPort())) {
                    SSLParameters parameters = socket.getSSLParameters();
                    parameters.setApplicationProtocols(new String[] {protocol});
                    socket.setSSLParameters(parameters);
                    socket.startHandshake();
                    assertEquals(protocol, socket.getApplicationProtocol());
                }
            }
            served.stop();
        }
    }

    private static SSLSocket trustAll(int port) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustsAll()}, null);
        return (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
    }

    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    private static byte[] md5(byte[] bytes) throws Exception {
        return MessageDigest.getInstance("MD5").digest(bytes);
    }

    private HttpResponse<byte[]> get(String url) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    static Stream<String> wrong() {
        Stream<String> wrong = Stream.of(
                "nonesuch",
                "",
                "tomcat --connector=bio",
                "jetty --connector=nonesuch",
                "jetty --threads=virtual",
                "millrace-handler --workers=none",
                "millrace-handler --connector=bio --selectors=2",
                "millrace-servlet --read-ahead-bytes=64");
        return HELIDON ? wrong : Stream.concat(wrong, Stream.of("helidon", "virtual-threads"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void aWrongCommandLineEndsWithTwo(String args) throws Exception {
        Process process = start((args + " --directory=" + directory).strip().split(" "));
        String errors = errors(process);
        assertEquals(1, errors.lines().count(), errors);
        assertEquals(2, process.waitFor());
    }
}
