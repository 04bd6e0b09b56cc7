package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Files to clients behind a proxy that speaks the PROXY protocol: what it says comes before the first request, and no more. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@Timeout(60)
class ProxiedFilesTest {
    private static final String PROXY = "PROXY TCP4 10.1.2.3 10.4.5.6 1000 2000\r\n";

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private TestServer start(SendfileHandler files, ConnectionFactory... factories) throws Exception {
        return new TestServer(jetty -> connectors.on(jetty, factories)).start(files);
    }

    @Test
    void goByTheKernel() throws Exception {
        byte[] large = TestFiles.write(directory, "large.bin", 3_000_001);
        byte[] gathered = TestFiles.write(directory, "gathered.bin", 50_000);
        SendfileHandler files = Handlers.files(directory);
        files.getSettings().setDebugHeader(true);
        try (TestServer server = start(files, new ProxyConnectionFactory(), new HttpConnectionFactory());
                RawClient client = server.client().send(PROXY)) {
            for (int i = 0; i < 3; i++) {
                RawClient.Answer answer = client.get("/large.bin").answer();
                assertEquals("yes", answer.headers().get(SendfileSettings.DEBUG_HEADER));
                assertArrayEquals(large, answer.body());
                assertArrayEquals(gathered, client.get("/gathered.bin").answer().body());
            }
            Await.until("all ended", () -> server.transfers().getCompleted() == 6);
        }
    }

    @Test
    void areCountedWhereTheyBecomeShorterOverTls() throws Exception {
        TestFiles.write(directory, "file.bin", 40_000_000);
        Tls keys = new Tls();
        HttpConnectionFactory http = new HttpConnectionFactory();
        ConnectionFactory encrypted = connectors.tls(keys.server(), http.getProtocol());
        try (TestServer server = start(
                        Handlers.files(directory),
                        new ProxyConnectionFactory(encrypted.getProtocol()),
                        encrypted,
                        http);
                Socket plain = new Socket("127.0.0.1", server.port())) {
            plain.getOutputStream().write(PROXY.getBytes(StandardCharsets.US_ASCII));
            try (RawClient client = keys.over(plain)) {
                client.get("/file.bin");
                assertEquals("HTTP/1.1 200 OK", client.line());
                TestFiles.resize(directory.resolve("file.bin"), 20_000_000);
                assertTrue(readToEnd(client) < 40_000_000);
            }
            Await.until("counted", () -> server.transfers().getTruncations() == 1);
        }
    }

    private static long readToEnd(RawClient client) {
        byte[] block = new byte[65_536];
        long all = 0;
        try {
            for (int read = client.in().read(block);
                    read >= 0;
                    read = client.in().read(block)) {
                all += read;
            }
        } catch (IOException reset) {
            // The end that an aborted answer has.
        }
        return all;
    }
}
