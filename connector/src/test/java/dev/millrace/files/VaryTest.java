package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.CrossOriginHandler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a handler around the files says of its own that an answer varies by is still said of the file's. */
class VaryTest {
    private static final String LATER = "If-Modified-Since: Sat, 01 Jan 2095 00:00:00 GMT";

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void write() throws Exception {
        TestFiles.write(directory, "file.js", 300_000);
        TestFiles.write(directory, "file.js.gz", 200_000);
        files.setBaseResourceAsString(directory.toString());
        files.setPrecompressedFormats(CompressedContentFormat.GZIP);
        files.getSettings().setDebugHeader(true);
    }

    private static Answer check(RawClient client, int status, String fields) throws Exception {
        Answer answer = client.send("GET /file.js HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n\r\n")
                .answer();
        assertEquals(status, answer.status(), fields);
        assertEquals(
                Set.of("Origin", "Accept-Encoding"),
                Arrays.stream(answer.headers().get("Vary").split(", *")).collect(Collectors.toSet()),
                answer.headers() + " of " + status + ", " + fields);
        return answer;
    }

    private void check(Handler.Wrapper around) throws Exception {
        CrossOriginHandler crossOrigin = new CrossOriginHandler();
        crossOrigin.setHandler(around == null ? files : around);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(crossOrigin);
                RawClient client = server.client()) {
            for (String accepted : new String[] {"Accept-Encoding: gzip", "Accept-Encoding: identity"}) {
                for (String range :
                        new String[] {"X-Range: none", "Range: bytes=0-99999", "Range: bytes=0-99999,110000-199999"}) {
                    String fields = accepted + "\r\n" + range;
                    Answer answer = check(client, range.startsWith("X") ? 200 : 206, fields);
                    assertEquals("yes", answer.headers().get(SendfileSettings.DEBUG_HEADER), fields);
                    check(client, 304, fields + "\r\n" + LATER);
                }
                check(client, 416, accepted + "\r\nRange: bytes=400000-");
            }
        }
    }

    @Test
    void isKept() throws Exception {
        check((Handler.Wrapper) null);
    }

    @Test
    void isKeptBehindACompression() throws Exception {
        check(new CompressionHandler(files));
    }
}
