package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A {@link SendfileHandler} that a subclass has given a factory of contents that is not ours: it serves as Jetty does. */
class KeptContentFactoryTest {
    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler() {
        @Override
        protected HttpContent.Factory newHttpContentFactory(ByteBufferPool.Sized bufferPool) {
            return new ResourceHttpContentFactory(getBaseResource(), getMimeTypes(), bufferPool);
        }
    };

    @Test
    void answersSeveralRanges() throws Exception {
        String text = new String(TestFiles.write(directory, "file.bin", 100_000), StandardCharsets.ISO_8859_1);
        files.setBaseResourceAsString(directory.toString());
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files);
                RawClient client = server.client()) {
            Answer answer = client.send("GET /file.bin HTTP/1.1\r\nHost: a\r\nRange: bytes=0-9,20000-70000\r\n\r\n")
                    .answer();
            assertEquals(206, answer.status());
            assertTrue(
                    answer.headers().get("Content-Type").startsWith("multipart/byteranges"),
                    answer.headers()::toString);
            assertTrue(
                    answer.text().contains("Content-Range: bytes 0-9/100000\r\n\r\n" + text.substring(0, 10) + "\r\n"));
            assertTrue(answer.text()
                    .contains("Content-Range: bytes 20000-70000/100000\r\n\r\n" + text.substring(20_000, 70_001)));
            assertEquals(
                    304,
                    client.send("GET /file.bin HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n")
                            .answer()
                            .status());
            assertEquals(
                    206,
                    client.send("GET /file.bin HTTP/1.1\r\nHost: a\r\nRange: bytes=-1\r\n\r\n")
                            .answer()
                            .status());
        }
    }
}
