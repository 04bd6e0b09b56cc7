package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.testing.Await;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.TestFiles;
import java.nio.file.Path;
import java.util.Map;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An answer that fails before anybody owns the count of its file gives the count back. */
@EnabledOnOs(OS.LINUX)
class HeldFileTest {
    @TempDir
    Path directory;

    @Test
    void isGivenBack() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        SendfileContentFactory files = new SendfileContentFactory(new ResourceHttpContentFactory(
                ResourceFactory.root().newResource(directory), MimeTypes.DEFAULTS, ByteBufferPool.SIZED_NON_POOLING));
        files.getSettings().setDebugHeader(true);
        files.start();
        HttpContent content = files.getContent("/file.bin");
        // Asked for the debug header, once the file is held.
        Response failing = Fakes.response(
                HttpVersion.HTTP_1_1, null, Map.of("getStatus", ignored -> 200, "isCommitted", ignored -> {
                    throw new NoClassDefFoundError("as of an event in a runtime without a flight recorder");
                }));
        assertThrows(NoClassDefFoundError.class, () -> content.writeTo(failing, 0, -1, Callback.NOOP));
        assertEquals(1, Leaks.descriptors(directory));
        files.stop();
        Await.until("closed", () -> Leaks.descriptors(directory) == 0);
    }
}
