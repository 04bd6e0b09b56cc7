package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.millrace.files.cache.OpenFile;
import dev.millrace.testing.Await;
import dev.millrace.transfer.OverwrittenFileException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is written over between two parts of an answer of several ranges, of which each is read at once. */
class OverwrittenPartsTest {
    private static final ByteBufferPool.Sized BUFFERS = ByteBufferPool.SIZED_NON_POOLING;

    @TempDir
    Path directory;

    @Test
    void noPartOfAnotherVersionFollows() throws Exception {
        Path path = Files.writeString(directory.resolve("file.txt"), "of several ranges");
        SendfileContentFactory files = new SendfileContentFactory(new ResourceHttpContentFactory(
                ResourceFactory.root().newResource(directory), MimeTypes.DEFAULTS, BUFFERS));
        files.start();
        FileResource found = (FileResource) files.getContent("/file.txt").getResource();
        OpenFile held = found.acquire();
        FileResource parts = new FileResource(found, held);
        assertEquals("several", Content.Source.asString(parts.newContentSource(BUFFERS, 3, 7)));
        Files.setLastModifiedTime(path, FileTime.fromMillis(0));
        long begin = System.nanoTime();
        Await.until("a file is looked at again", () -> System.nanoTime() - begin > 20_000_000);
        Content.Chunk refused = parts.newContentSource(BUFFERS, 11, 6).read();
        assertInstanceOf(OverwrittenFileException.class, refused.getFailure());
        held.release();
        files.stop();
    }
}
