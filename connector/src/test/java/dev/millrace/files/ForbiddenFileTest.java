package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.XSendfileHandler;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Files that may not be read: Linux has one that not even root may. */
@EnabledOnOs(OS.LINUX)
class ForbiddenFileTest {
    private static final Path FORBIDDEN = Path.of("/sys/bus/cpu/drivers_probe");

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void files() {
        assumeTrue(Files.isRegularFile(FORBIDDEN), "no such file here");
        assertThrows(AccessDeniedException.class, () -> Files.readAllBytes(FORBIDDEN));
        files.setBaseResourceAsString(FORBIDDEN.getParent().toString());
    }

    private static TestServer server(Handler handler) throws Exception {
        return new TestServer(Connectors.NIO::http).start(handler);
    }

    private void assertFails(Handler handler) throws Exception {
        try (TestServer server = server(handler);
                RawClient client = server.client()) {
            assertEquals(500, client.get("/drivers_probe").answer().status());
        }
    }

    @Test
    void failWithAndWithoutAContext() throws Exception {
        assertFails(files);
        assertFails(new ContextHandler(files, "/"));
    }

    @Test
    void areMissingWhenTheyAreVariants() throws Exception {
        assertMissingAsVariant(files);
    }

    /** There a file that cannot be opened is Jetty's to answer. Nobody has asked for a variant by its own name. */
    @Test
    void areMissingInAContextWhenTheyAreVariants() throws Exception {
        assertMissingAsVariant(new ContextHandler(files, "/"));
    }

    private void assertMissingAsVariant(Handler around) throws Exception {
        Files.writeString(directory.resolve("drivers"), "plain");
        files.setPrecompressedFormats(new CompressedContentFormat("gzip", "_probe"));
        try (TestServer server = new TestServer(Connectors.NIO::http)) {
            ResourceFactory resources = ResourceFactory.of(server.server());
            files.setBaseResource(ResourceFactory.combine(
                    resources.newResource(directory), resources.newResource(FORBIDDEN.getParent())));
            server.start(around);
            try (RawClient client = server.client()) {
                for (String accepted : List.of("identity", "gzip")) {
                    Answer answer = client.send("GET /drivers HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: "
                                    + accepted + "\r\n\r\n")
                            .answer();
                    assertEquals(200, answer.status(), accepted);
                    assertEquals("plain", answer.text());
                    assertNull(answer.headers().get("Content-Encoding"));
                    assertNull(answer.headers().get("Vary"));
                }
                assertEquals(500, client.get("/drivers_probe").answer().status());
            }
        }
    }

    @Test
    void areForbiddenWhenTheyAreDelegated() throws Exception {
        XSendfileHandler handler =
                new XSendfileHandler(Handlers.fields(() -> Map.of("X-Sendfile", FORBIDDEN.toString())));
        handler.addRoot("/sys");
        try (Logged logged = new Logged("dev.millrace.xsendfile");
                TestServer server = server(handler);
                RawClient client = server.client()) {
            assertEquals(403, client.get("/").answer().status());
            assertEquals(1, logged.count("Not sending " + FORBIDDEN + ": it cannot be read"));
        }
    }
}
