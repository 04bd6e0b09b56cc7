package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.files.SendfileHandler;
import dev.millrace.files.SendfileSettings;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.XSendfileHandler;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fields {@code Range} that RFC 9110 section 14.2 lets a server ignore, or has it ignore, are answered by the whole. */
class RangeFieldsTest {
    @TempDir
    Path directory;

    private byte[] bytes;

    @BeforeEach
    void write() throws Exception {
        bytes = TestFiles.write(directory, "file.bin", 300_000);
    }

    private Handler files() {
        SendfileHandler files = Handlers.files(directory);
        files.getSettings().setDebugHeader(true);
        return files;
    }

    private Handler servlet() {
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/*");
        files.setInitParameter("baseResource", directory.toString());
        files.setInitParameter("debugHeader", "true");
        return context;
    }

    private Handler delegating() {
        XSendfileHandler handler = new XSendfileHandler(Handlers.fields(
                () -> Map.of("X-Sendfile", directory.resolve("file.bin").toString())));
        handler.addRoot(directory.toString());
        handler.getSettings().setDebugHeader(true);
        return handler;
    }

    private void checkWhole(String... fields) {
        assertAll(Stream.of(files(), servlet(), delegating()).map(handler -> () -> checkWhole(handler, fields)));
    }

    private void checkWhole(Handler handler, String... fields) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            for (String field : fields) {
                String where = handler + " " + field;
                Answer answer = client.send("GET /file.bin HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n")
                        .answer();
                assertEquals(200, answer.status(), where);
                assertArrayEquals(bytes, answer.body(), where);
                assertNull(answer.headers().get("Content-Range"), where);
                assertEquals("yes", answer.headers().get(SendfileSettings.DEBUG_HEADER), where);
            }
        }
    }

    @Test
    void severalAreNone() {
        checkWhole(
                "Range: bytes=0-99999\r\nRange: bytes=200000-299999",
                "Range: bytes=0-9\r\nRange: bytes=0-9",
                "Range:\r\nRange: bytes=0-9,20-29",
                "Range: bytes=0-9\r\nX-Other: 1\r\nrange: bytes=400000-");
    }

    @Test
    void otherFieldsDoNotMatter() {
        checkWhole(
                "Sec-Fetch-Mode: cors\r\nRange: bytes=0-9\r\nIf-Range: Mon, 01 Jan 2001 00:00:00 GMT",
                "X-Other: 1\r\nRange: bytes=0-0" + ",5-5".repeat(100));
    }

    /** They are valid (RFC 9110 sections 5.6.1.2 and 14.1.2), and Jetty would answer 416, or by the first range alone. */
    @Test
    void whatJettyCannotReadIsNone() {
        checkWhole(
                "Range: bytes=,,-5",
                "Range: bytes= ,0-9",
                "Range: bytes=0-9,,20-29",
                "Range: bytes=0-9, \t,20-29",
                "Range: bytes=0-99999999999999999999",
                "Range: bytes=-99999999999999999999",
                "Range: bytes=0-9,100000-99999999999999999999",
                "Range: bytes=0-9223372036854775808",
                "Range: bytes=-9999999999999999999",
                "Range: bytes=0-9,20-9223372036854775807,30-9223372036854775808");
    }

    @Test
    void otherUnitsAreIgnored() {
        checkWhole("Range: items=0-5", "Range: Bytes=0-9", "Range: BYTES=0-9,20-29", "Range: none", "Range:");
    }
}
