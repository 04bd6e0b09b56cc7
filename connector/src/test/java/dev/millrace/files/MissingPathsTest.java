package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** For how long it is believed that a path leads nowhere, and that a file has no variant. */
class MissingPathsTest {
    private static final long FOR_EVER = -1;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void baseResource() {
        files.setBaseResourceAsString(directory.toString());
    }

    private SendfileContentFactory cache() {
        return files.getSendfileContentFactory();
    }

    private TestServer server() throws Exception {
        return new TestServer(Connectors.NIO::http).start(files);
    }

    private static int status(RawClient client) {
        try {
            return client.get("/file.bin").answer().status();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    @Test
    void areRememberedWhereThatIsWanted() throws Exception {
        cache().getSettings().setMissingMillis(FOR_EVER);
        try (TestServer server = server();
                RawClient client = server.client()) {
            assertEquals(404, client.get("/file.bin").answer().status());
            TestFiles.write(directory, "file.bin", 10);
            assertEquals(404, client.get("/file.bin").answer().status());
            cache().getSettings().setMissingMillis(1);
            Await.until("found", () -> status(client) == 200);
        }
    }

    @Test
    void areNotRememberedHoweverLongFilesAreValid() throws Exception {
        cache().getSettings().setValidMillis(FOR_EVER);
        try (TestServer server = server();
                RawClient client = server.client()) {
            assertEquals(404, client.get("/file.bin").answer().status());
            assertEquals(0, cache().getMissingPaths());
            TestFiles.write(directory, "file.bin", 10);
            assertEquals(10, client.get("/file.bin").answer().body().length);
        }
    }

    @Test
    void ofVariantsAreRememberedForAsLongAsTheirFileIsValid() throws Exception {
        TestFiles.write(directory, "file.js", 100);
        files.setPrecompressedFormats(CompressedContentFormat.GZIP);
        cache().getSettings().setValidMillis(FOR_EVER);
        String request = "GET /file.js HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n";
        try (TestServer server = server();
                RawClient client = server.client()) {
            assertEquals(100, client.send(request).answer().body().length);
            TestFiles.write(directory, "file.js.gz", 50);
            assertEquals(100, client.send(request).answer().body().length);
            // By its own name it is a file like another, which is known from then on.
            assertEquals(50, client.get("/file.js.gz").answer().body().length);
            assertEquals("gzip", client.send(request).answer().headers().get("Content-Encoding"));
        }
    }
}
