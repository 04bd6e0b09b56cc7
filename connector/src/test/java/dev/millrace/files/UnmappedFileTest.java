package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that the system does not map, as those of some file systems: most Linux systems have one of them. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@EnabledOnOs(OS.LINUX)
class UnmappedFileTest {
    private static final Path UNMAPPED = Path.of("/sys/kernel/notes");

    @Parameter
    Connectors connectors;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void files() throws IOException {
        assumeTrue(Files.isReadable(UNMAPPED), "no such file here");
        try (FileChannel channel = FileChannel.open(UNMAPPED)) {
            assertThrows(IOException.class, () -> channel.map(MapMode.READ_ONLY, 0, channel.size()));
        }
        files.setBaseResourceAsString(UNMAPPED.getParent().toString());
        files.getSettings().setMinTransferBytes(1);
        files.getSettings().setDebugHeader(true);
    }

    private static void assertCopied(byte[] bytes, Answer answer) {
        assertEquals(Obstacle.UNMAPPED.name(), answer.headers().get(SendfileSettings.DEBUG_HEADER));
        assertArrayEquals(bytes, answer.body());
    }

    @Test
    void areCopied() throws Exception {
        byte[] bytes = Files.readAllBytes(UNMAPPED);
        for (int maxGatherBytes : new int[] {0, 64 * 1024}) {
            files.getSettings().setMaxGatherBytes(maxGatherBytes);
            try (TestServer server = new TestServer(connectors::http).start(files);
                    RawClient client = server.client()) {
                assertCopied(bytes, client.get("/notes").answer());
                assertCopied(
                        Arrays.copyOfRange(bytes, 1, 21),
                        client.send("GET /notes HTTP/1.1\r\nHost: localhost\r\nRange: " + "bytes=1-20\r\n\r\n")
                                .answer());
                Answer parts = client.send("GET /notes HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-9,30-39\r\n\r\n")
                        .answer();
                assertEquals(206, parts.status());
                assertEquals(Obstacle.UNMAPPED.name(), parts.headers().get(SendfileSettings.DEBUG_HEADER));
                assertArrayEquals(bytes, client.get("/notes").answer().body());
            }
        }
    }
}
