package dev.millrace.jetty;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileSettings;
import dev.millrace.testing.AlteredJetty;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.ServedFiles;
import dev.millrace.testing.ServerProcess;
import dev.millrace.testing.TestFiles;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Jetty that is not as it is known: files are copied, whole and right, and the log has one line for it. */
@Timeout(60)
class AlteredJettyTest {
    private static final String NOT_KNOWN = "is not as Millrace knows it";
    private static final int BYTES = 1_000_000;

    @TempDir
    Path directory;

    private static RawClient ask(RawClient client, String range) throws Exception {
        return client.send("GET /0/file HTTP/1.1\r\nHost: localhost\r\nRange: " + range + "\r\n\r\n");
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
        List<String> options = AlteredJetty.options(known, other);
        try (ServerProcess server =
                new ServerProcess(List.of(), Path.of(System.getProperty("java.home")), options, directory)) {
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
            server.stop();
            List<String> warnings =
                    server.log().stream().filter(line -> line.contains(":WARN")).toList();
            assertEquals(1, warnings.size(), () -> String.join("\n", server.log()));
            assertTrue(warnings.get(0).contains(NOT_KNOWN), warnings.get(0));
        }
    }
}
