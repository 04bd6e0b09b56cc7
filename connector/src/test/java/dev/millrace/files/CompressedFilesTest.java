package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Behind Jetty's compression: a file that has come into the content cache goes past it, or through it, as it did before. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
class CompressedFilesTest {
    private static final String GZIP = "Accept-Encoding: gzip";

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private static void checkPlain(RawClient client, String path, SendfileHandler files, byte[] expected)
            throws Exception {
        for (int i = 0; i < 10; i++) {
            Answer answer = client.get(path, GZIP).answer();
            assertNull(answer.headers().get("Content-Encoding"), "answer " + i);
            assertArrayEquals(expected, answer.body());
        }
        assertEquals(1, files.getSendfileContentFactory().getCachedFiles());
    }

    @Test
    void areNotCompressedFromMemoryByTheirType() throws Exception {
        SendfileHandler files = Handlers.files(directory);
        byte[] bytes = TestFiles.write(directory, "file.bin", 30_000);
        try (TestServer server = new TestServer(connectors::http).start(new CompressionHandler(files));
                RawClient client = server.client()) {
            checkPlain(client, "/file.bin", files, bytes);
        }
    }

    @Test
    void areNotCompressedFromMemoryByTheirSize() throws Exception {
        SendfileHandler files = Handlers.files(directory);
        files.getSettings().setMaxCompressedBytes(200_000);
        byte[] text = "All work and no play. ".repeat(22_000).getBytes(StandardCharsets.UTF_8);
        TestFiles.age(Files.write(directory.resolve("file.txt"), text));
        Tls tls = new Tls();
        try (TestServer server = new TestServer(s -> connectors.https(s, tls)).start(new CompressionHandler(files));
                RawClient client = tls.connect(server.port())) {
            checkPlain(client, "/file.txt", files, text);
        }
    }
}
