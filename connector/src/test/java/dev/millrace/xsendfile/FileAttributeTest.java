package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that the server's own code names, by an attribute of the request. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class FileAttributeTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final XSendfileHandler handler = new XSendfileHandler(application());
    private Path file;
    private byte[] bytes;

    /** Names the file, and answers what the path says. */
    private Handler application() {
        return Handlers.of((request, response, callback) -> {
            request.setAttribute(XSendfileHandler.FILE_ATTRIBUTE, file);
            response.getHeaders().put("X-Accel-Redirect", "/of/another/server");
            switch (Request.getPathInContext(request)) {
                case "/file" -> callback.succeeded();
                case "/404" -> Response.writeError(request, response, callback, 404);
                default -> throw new IllegalArgumentException(request.toString());
            }
        });
    }

    @BeforeEach
    void write() throws Exception {
        bytes = TestFiles.write(directory, "file.bin", 100_000);
        file = directory.resolve("file.bin").toRealPath();
        handler.setAttributeRead(true);
    }

    private TestServer server() throws Exception {
        return new TestServer(connectors::http).start(handler);
    }

    @Test
    void theFileIsSentThoughThereIsNoRoot() throws Exception {
        handler.getSettings().setDebugHeader(true);
        try (TestServer server = server();
                RawClient client = server.client()) {
            Answer answer = client.get("/file").answer();
            assertEquals(200, answer.status());
            assertArrayEquals(bytes, answer.body());
            assertEquals("yes", answer.headers().get("X-Millrace-Sendfile"));
            assertNull(answer.headers().get("X-Accel-Redirect"));
            Answer range = client.send("GET /file HTTP/1.1\r\nHost: localhost\r\nRange: bytes=10-29\r\n\r\n")
                    .answer();
            assertEquals(206, range.status());
            assertArrayEquals(Arrays.copyOfRange(bytes, 10, 30), range.body());
        }
    }

    // The default one has a file of the same name.
    @Test
    void noFileOfAnotherFileSystemIsSent() throws Exception {
        try (FileSystem other = FileSystems.newFileSystem(directory.resolve("files.zip"), Map.of("create", "true"));
                TestServer server = server();
                RawClient client = server.client()) {
            file = other.getPath(file.toString());
            assertEquals(404, client.get("/file").answer().status());
        }
    }

    @Test
    void fieldsThatAreNotReadAreLeft() throws Exception {
        handler.setFieldsRead(false);
        try (TestServer server = server();
                RawClient client = server.client()) {
            Answer answer = client.get("/file").answer();
            assertArrayEquals(bytes, answer.body());
            assertEquals("/of/another/server", answer.headers().get("X-Accel-Redirect"));
        }
    }

    @Test
    void isNotReadByDefault() throws Exception {
        handler.setAttributeRead(new XSendfileHandler().isAttributeRead());
        handler.setFieldsRead(false);
        try (TestServer server = server();
                RawClient client = server.client()) {
            assertEquals(0, client.get("/file").answer().body().length);
        }
    }

    @Test
    void anErrorIsNoFile() throws Exception {
        try (TestServer server = server();
                RawClient client = server.client()) {
            Answer answer = client.get("/404").answer();
            assertEquals(404, answer.status());
            assertEquals(
                    String.valueOf(answer.body().length), answer.headers().get(HttpHeader.CONTENT_LENGTH.asString()));
        }
    }
}
