package dev.millrace.jetty;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileSettings;
import dev.millrace.testing.AlteredJetty;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.ServedFiles;
import dev.millrace.testing.ServerProcess;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.Tls;
import dev.millrace.testing.TlsPeer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Jetty that is not as it is known: files are copied, whole and right, and the log has one line for it. */
@Timeout(180)
class AlteredJettyTest {
    private static final String NOT_KNOWN = "is not as Millrace knows it";
    private static final int BYTES = 1_000_000;
    private static final int BYTES_OVER_TLS = 3_000_000;

    @TempDir
    Path directory;

    private static RawClient ask(RawClient client, String range) throws Exception {
        return client.send("GET /0/file HTTP/1.1\r\nHost: localhost\r\nRange: " + range + "\r\n\r\n");
    }

    private ServerProcess server(String known, String other, String... more) throws IOException {
        List<String> options = new ArrayList<>(AlteredJetty.options(known, other));
        options.addAll(List.of(more));
        return new ServerProcess(List.of(), Path.of(System.getProperty("java.home")), options, directory);
    }

    private static List<String> warnings(ServerProcess server, int expected) throws Exception {
        server.stop();
        List<String> warnings =
                server.log().stream().filter(line -> line.contains(":WARN")).toList();
        assertEquals(expected, warnings.size(), () -> String.join("\n", server.log()));
        return warnings;
    }

    private static void assertWarnsOnce(ServerProcess server, String instead) throws Exception {
        List<String> warnings = warnings(server, 1);
        assertTrue(warnings.get(0).contains(NOT_KNOWN), warnings.get(0));
        assertTrue(warnings.get(0).contains(instead), warnings.get(0));
    }

    @ParameterizedTest
    @CsvSource({
        "org/eclipse/jetty/server/internal/HttpConnection, org/eclipse/jetty/server/internal/HttpConnectiom",
        "getParser, getParses",
        "getHttpStream, getHttpStreax",
        "HttpChannelState$ChannelResponse, HttpChannelState$ChannelAnsweres"
    })
    void serves(String known, String other) throws Exception {
        byte[] content = TestFiles.write(directory, "file", BYTES);
        try (ServerProcess server = server(known, other)) {
            for (Connectors connectors : Connectors.ours().toList()) {
                try (RawClient client = new RawClient(server.port(connectors))) {
                    assertEquals(
                            ServedFiles.HELLO, client.get("/hello").answer().text());
                    Answer whole = client.get("/0/file").answer();
                    assertArrayEquals(content, whole.body(), connectors.name());
                    assertEquals("WRAPPED", whole.headers().get(SendfileSettings.DEBUG_HEADER), connectors.name());
                    Answer part = ask(client, "bytes=100-900000").answer();
                    assertArrayEquals(Arrays.copyOfRange(content, 100, 900_001), part.body(), connectors.name());
                }
            }
            assertWarnsOnce(server, "files are copied");
        }
    }

    /** States of a write and texts of an end point: a record that is sent twice, or not at all, ends TLS. */
    @ParameterizedTest
    @CsvSource({
        "toStateString, toStateStrinx, writes of TLS are left to another thread",
        "flush=, flusx=, a write that TLS has given up is left to the idle timeout"
    })
    void servesOverTls(String known, String other, String instead) throws Exception {
        byte[] content = TestFiles.write(directory, "file", BYTES_OVER_TLS);
        Tls tls = new Tls();
        Path keys = tls.store(directory.resolve("keys"));
        try (ServerProcess server = server(known, other, "-D" + ServedFiles.KEYS + "=" + keys)) {
            for (Connectors connectors : Connectors.ours().toList()) {
                try (TlsPeer peer = new TlsPeer(tls, server.port(connectors), "TLSv1.3").handshake()) {
                    assertArrayEquals(content, readWhileKeysChange(peer), connectors.name());
                    assertTrue(peer.hasEndedByAlert(), connectors.name());
                }
            }
            assertWarnsOnce(server, instead);
        }
    }

    /** The thread that reads has to write too, while another one does, or waits for the peer. */
    private static byte[] readWhileKeysChange(TlsPeer peer) throws Exception {
        peer.send("GET /0/file HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        byte[] block = new byte[30_000];
        for (int read = peer.read(block); read >= 0; read = peer.read(block)) {
            answer.write(block, 0, read);
            if (answer.size() < BYTES_OVER_TLS / 2) {
                peer.sendRecords(peer.newKeys());
            }
        }
        String text = answer.toString(StandardCharsets.ISO_8859_1);
        return Arrays.copyOfRange(answer.toByteArray(), text.indexOf("\r\n\r\n") + 4, answer.size());
    }

    @ParameterizedTest
    @CsvSource({"getDataLength, getDataLengtx", "getStreamsOpened, getStreamsOpenex"})
    void servesOverHttp2(String known, String other) throws Exception {
        byte[] content = TestFiles.write(directory, "file", BYTES);
        try (ServerProcess server = server(known, other, ServerProcess.HTTP2)) {
            for (Connectors connectors : Connectors.ours().toList()) {
                try (RawClient client = new RawClient(server.port(connectors))) {
                    Http2Frames frames = new Http2Frames(client).openWindows();
                    assertEquals(ServedFiles.HELLO, frames.get("/hello").content(), connectors.name());
                    assertArrayEquals(content, frames.get("/0/file").contentBytes(), connectors.name());
                    frames.getTogether("/0/file", "/hello", "/hello");
                    assertEquals(3, frames.contents(3).size(), connectors.name());
                }
            }
            assertWarnsOnce(server, "slow peers of HTTP/2 are left to the idle timeout");
        }
    }

    @Test
    void servesByAServlet() throws Exception {
        byte[] content = TestFiles.write(directory, "file", BYTES);
        try (ServerProcess server = server("_included", "_includex", ServerProcess.SERVLET)) {
            for (Connectors connectors : Connectors.ours().toList()) {
                try (RawClient client = new RawClient(server.port(connectors))) {
                    Answer whole = client.get("/servlet/file").answer();
                    assertArrayEquals(content, whole.body(), connectors.name());
                    assertEquals("WRAPPED", whole.headers().get(SendfileSettings.DEBUG_HEADER), connectors.name());
                }
            }
            assertWarnsOnce(server, "files of servlets are copied");
        }
    }

    /** Its classes do not say what is nested in them: there is no way from a response to its handler. */
    @Test
    void servesBehindAnEventsHandler() throws Exception {
        byte[] content = TestFiles.write(directory, "file", BYTES);
        try (ServerProcess server = server("InnerClasses", "InnerClassex", ServerProcess.EVENTS)) {
            for (Connectors connectors : Connectors.ours().toList()) {
                try (RawClient client = new RawClient(server.port(connectors))) {
                    Answer whole = client.get("/0/file").answer();
                    assertArrayEquals(content, whole.body(), connectors.name());
                    assertEquals("SHOWN", whole.headers().get(SendfileSettings.DEBUG_HEADER), connectors.name());
                }
            }
            assertWarnsOnce(server, "files behind an EventsHandler are copied");
        }
    }

    /** Nobody can tell which answers a proxy has fetched: none of them names a file. */
    @Test
    void sendsNoFileBehindAProxy() throws Exception {
        TestFiles.write(directory, "file", BYTES);
        try (ServerProcess server = server(".clientToProxyRequest", ".clientToProxyRequesx", ServerProcess.PROXY)) {
            for (Connectors connectors : Connectors.ours().toList()) {
                try (RawClient client = new RawClient(server.port(connectors))) {
                    Answer answer = client.get("/proxied/file").answer();
                    assertEquals(200, answer.status(), connectors.name());
                    assertEquals(0, answer.body().length, connectors.name());
                    assertNull(answer.headers().get("X-Sendfile"), connectors.name());
                }
            }
            List<String> warnings = warnings(server, 2);
            assertTrue(warnings.get(0).contains("all answers count as proxied"), warnings.get(0));
            assertTrue(warnings.get(1).contains("Not sending what another server names"), warnings.get(1));
        }
    }
}
