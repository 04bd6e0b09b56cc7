package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A file is mapped for its tokens, and for nothing else: the end of a mapping is dear. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@EnabledOnOs(OS.LINUX)
class MappedFilesTest {
    private static final int SIZE = 100_000;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private SendfileHandler files;
    private byte[] bytes;

    @BeforeEach
    void write() throws Exception {
        bytes = TestFiles.write(directory, "file.bin", SIZE);
        files = Handlers.files(directory);
        files.getSettings().setDebugHeader(true);
    }

    private void checkOverTls(RawClient client, int end) throws Exception {
        Answer answer = client.get("/file.bin", "Range: bytes=0-" + (end - 1)).answer();
        assertEquals(Obstacle.END_POINT.name(), answer.headers().get(SendfileSettings.DEBUG_HEADER));
        assertArrayEquals(Arrays.copyOf(bytes, end), answer.body());
    }

    @Test
    void areNotMappedForWhatTlsReadsAtOnce() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = new TestServer(s -> connectors.https(s, tls)).start(files);
                RawClient client = tls.connect(server.port())) {
            checkOverTls(client, 20_000);
            checkOverTls(client, 32 * 1024);
            assertEquals(0, Leaks.mappings(directory));
            checkOverTls(client, 32 * 1024 + 1);
            assertEquals(1, Leaks.mappings(directory));
        }
    }

    @Test
    void areNotMappedForAHeadOfSeveralRanges() throws Exception {
        String ranges = " /file.bin HTTP/1.1\r\nHost: a\r\nRange: bytes=0-29999,50000-79999\r\n\r\n";
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            assertEquals(206, client.send("HEAD" + ranges).answer("HEAD").status());
            assertEquals(0, Leaks.mappings(directory));
            assertEquals(206, client.send("GET" + ranges).answer().status());
            assertEquals(1, Leaks.mappings(directory));
        }
    }
}
