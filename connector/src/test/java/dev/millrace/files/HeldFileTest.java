package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.files.cache.OpenFile;
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
import org.eclipse.jetty.server.Request;
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

    private SendfileContentFactory start() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        SendfileContentFactory files = new SendfileContentFactory(new ResourceHttpContentFactory(
                ResourceFactory.root().newResource(directory), MimeTypes.DEFAULTS, ByteBufferPool.SIZED_NON_POOLING));
        files.getSettings().setDebugHeader(true);
        files.start();
        return files;
    }

    private void assertGivesBack(SendfileContentFactory files) throws Exception {
        assertEquals(1, Leaks.descriptors(directory));
        files.stop();
        Await.until("closed", () -> Leaks.descriptors(directory) == 0);
    }

    @Test
    void isGivenBack() throws Exception {
        SendfileContentFactory files = start();
        HttpContent content = files.getContent("/file.bin");
        // Asked for the debug header, once the file is held.
        Response failing = Fakes.response(
                HttpVersion.HTTP_1_1, null, Map.of("getStatus", ignored -> 200, "isCommitted", ignored -> {
                    throw new NoClassDefFoundError("as of an event in a runtime without a flight recorder");
                }));
        assertThrows(NoClassDefFoundError.class, () -> content.writeTo(failing, 0, -1, Callback.NOOP));
        assertGivesBack(files);
    }

    @Test
    void isGivenBackWhenARequestOfSeveralRangesHasEnded() throws Exception {
        SendfileContentFactory files = start();
        Request ended = Fakes.of(Request.class, Map.of("addHttpStreamWrapper", ignored -> {
            throw new IllegalStateException("No active stream");
        }));
        OpenFile file = ((SendfileContent) files.getContent("/file.bin")).file();
        assertThrows(IllegalStateException.class, () -> files.hold(files, "/file.bin", ended));
        assertGivesBack(files);
        // The garbage collector closes a channel too, but not one that can be reached.
        assertFalse(file.isOpen());
    }
}
