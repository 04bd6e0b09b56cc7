package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.Resource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Content that an application asks for wrongly, or writes to what throws, gives back what it took for that. */
@EnabledOnOs(OS.LINUX)
class RefusedContentTest {
    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void baseResource() {
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setValidMillis(50);
    }

    private interface Refused {
        void ask(HttpContent content) throws Exception;
    }

    private void assertLeavesNothing(int bytes, Refused refused) throws Exception {
        byte[] expected = TestFiles.write(directory, "file.bin", bytes);
        SendfileContentFactory cache = files.getSendfileContentFactory();
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files);
                RawClient client = server.client()) {
            for (int i = 0; i < 6; i++) {
                assertArrayEquals(expected, client.get("/file.bin").answer().body());
            }
            refused.ask(cache.getContent("/file.bin"));
            Files.delete(directory.resolve("file.bin"));
            Await.until("closed", () -> Leaks.descriptors(directory) == 0 && Leaks.mappings(directory) == 0);
            // The last answer's thread may have bytes still.
            Await.until("memory given back", () -> cache.getCachedBytes() == 0);
        }
    }

    private static void assertRefused(HttpContent content, Content.Sink sink, long offset, long length) {
        Callback.Completable written = new Callback.Completable();
        assertThrows(Exception.class, () -> {
            content.writeTo(sink, offset, length, written);
            written.get(30, TimeUnit.SECONDS);
        });
    }

    @Test
    void aPartThatIsNotThere() throws Exception {
        Content.Sink sink = (last, bytes, callback) -> callback.succeeded();
        assertLeavesNothing(10_000, content -> assertRefused(content, sink, 10_001, 1));
        assertLeavesNothing(10_000, content -> assertRefused(content, sink, 10_001, -1));
        assertLeavesNothing(1_000_000, content -> assertRefused(content, sink, 1_000_010, -1));
    }

    @Test
    void aSourceThatIsNotThere() throws Exception {
        for (int bytes : new int[] {10_000, 1_000_000}) {
            assertLeavesNothing(bytes, content -> {
                Resource resource = content.getResource();
                assertThrows(
                        IndexOutOfBoundsException.class,
                        () -> ((Content.Source.Factory) resource).newContentSource(null, 0, -2));
            });
        }
    }

    @Test
    void aSinkThatThrows() throws Exception {
        for (int bytes : new int[] {10_000, 100_000, 1_000_000}) {
            assertLeavesNothing(
                    bytes,
                    content -> assertRefused(
                            content,
                            (last, part, callback) -> {
                                throw new IllegalStateException("no more");
                            },
                            0,
                            -1));
        }
    }

    @Test
    void aSinkThatFails() throws Exception {
        for (int bytes : new int[] {10_000, 100_000, 1_000_000}) {
            assertLeavesNothing(
                    bytes,
                    content -> assertRefused(
                            content, (last, part, callback) -> callback.failed(new IOException("no more")), 0, -1));
        }
    }
}
