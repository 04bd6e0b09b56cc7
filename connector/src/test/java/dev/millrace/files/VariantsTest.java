package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only has the name of a pre-compressed variant. */
class VariantsTest {
    @TempDir
    Path directory;

    @Test
    void aDirectoryIsNone() throws Exception {
        Files.writeString(directory.resolve("a.js"), "plain");
        Files.createDirectory(directory.resolve("a.js.gz"));
        SendfileHandler files = new SendfileHandler();
        files.setBaseResourceAsString(directory.toString());
        files.setPrecompressedFormats(CompressedContentFormat.GZIP);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files); RawClient client = server.client()) {
            Answer answer = client.send("GET /a.js HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n").answer();
            assertEquals(200, answer.status());
            assertEquals("plain", answer.text());
        }
    }
}
