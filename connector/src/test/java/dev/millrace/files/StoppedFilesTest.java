package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A request that looks a file up while its context is stopped leaves nothing open. */
class StoppedFilesTest {
    @TempDir
    Path directory;

    @Test
    void areNotKeptOpen() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        SendfileHandler files = Handlers.files(directory);
        SendfileContentFactory factory = files.getSendfileContentFactory();
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files)) {
            factory.stop();
            assertNotNull(factory.getContent("/file.bin"));
            Await.until("let go", () -> Leaks.descriptors(directory) == 0);
            assertEquals(0, factory.getOpenFiles());
            factory.start();
            try (RawClient client = server.client()) {
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
            }
            assertEquals(1, factory.getOpenFiles());
        }
    }
}
