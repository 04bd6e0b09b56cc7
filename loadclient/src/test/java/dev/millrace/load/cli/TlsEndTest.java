package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.load.TestCertificate;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An answer whose end is that of the connection is complete only if TLS has ended (RFC 9112 section 9.8): anybody on the
 * way can end TCP.
 */
class TlsEndTest {

    private static final String WHOLE = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
    private static final String CHUNKED =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    private static final String TO_THE_END = "HTTP/1.1 200 OK\r\n\r\nhello";

    @TempDir
    private static Path keys;

    private static TestCertificate certificate;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeKey() throws IOException {
        certificate = new TestCertificate(keys, "ip:127.0.0.1");
    }

    private static void serve(ServerSocket listener, SSLContext tls, String answer, boolean endsTls) {
        while (!listener.isClosed()) {
            answerOne(listener, tls, answer, endsTls);
        }
    }

    /** Answers one request on a connection, and ends it with TLS or without. */
    private static void answerOne(ServerSocket listener, SSLContext tls, String answer, boolean endsTls) {
        try (Socket raw = listener.accept()) {
            SSLSocket secure = (SSLSocket) tls.getSocketFactory().createSocket(raw, null, true);
            secure.setUseClientMode(false);
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int b = secure.getInputStream().read();
                if (b < 0) {
                    return;
                }
                head.append((char) b);
            }
            secure.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            if (endsTls) {
                secure.close();
            }
        } catch (IOException ignored) {
            // The client's probe closes before it asks, and the test closes the listener.
            return;
        }
    }

    private CellResult run(String answer, boolean endsTls, String... options) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress())) {
            SSLContext tls = certificate.context();
            Thread thread = new Thread(() -> serve(listener, tls, answer, endsTls), "tls-end");
            thread.setDaemon(true);
            thread.start();
            Cli.run(
                    "http",
                    "-c=1",
                    "-n=3",
                    "--warmup=0s",
                    "-q",
                    "--timeout=20s",
                    "-o=" + folder,
                    "--cacert=" + certificate.pem(),
                    options.length == 0 ? "--keepalive=on" : options[0],
                    "https://127.0.0.1:" + listener.getLocalPort() + "/");
        }
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    @Test
    void anAnswerThatIsCutOffIsShort() throws IOException {
        CellResult cell = run(TO_THE_END, false);
        assertEquals(Set.of("short body"), cell.errors().keySet());
        assertEquals(0, cell.counts().requests());
    }

    @ParameterizedTest
    @ValueSource(strings = {WHOLE, CHUNKED})
    void anAnswerThatTellsItsEndIsComplete(String answer) throws IOException {
        CellResult cell = run(answer, false);
        assertEquals(Set.of(), cell.errors().keySet());
        assertEquals(3, cell.counts().requests());
        assertEquals(3, run(answer, false, "--keepalive=off").counts().requests());
    }

    @Test
    void anAnswerIsCompleteIfTlsHasEnded() throws IOException {
        CellResult cell = run(TO_THE_END, true);
        assertEquals(Set.of(), cell.errors().keySet());
        assertEquals(3, cell.counts().requests());
        assertEquals(3, run(TO_THE_END, true, "--keepalive=off").counts().requests());
    }
}
