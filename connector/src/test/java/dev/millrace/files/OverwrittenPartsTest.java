package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.files.cache.OpenFile;
import dev.millrace.files.cache.OpenFileChannel;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.OverwrittenFileException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file is written over before the last part of an answer, however soon after it was opened. The first time, classes are loaded meanwhile. */
@Timeout(60)
class OverwrittenPartsTest {
    private static final ByteBufferPool.Sized BUFFERS = ByteBufferPool.SIZED_NON_POOLING;
    private static final int SIZE = 18;

    @TempDir
    Path directory;

    private Path path;
    private SendfileContentFactory files;
    private FileResource found;
    private OpenFile held;

    @BeforeEach
    void open() throws Exception {
        path = Files.writeString(directory.resolve("file.txt"), "of several answers");
        files = new SendfileContentFactory(new ResourceHttpContentFactory(
                ResourceFactory.root().newResource(directory), MimeTypes.DEFAULTS, BUFFERS));
        files.start();
        found = (FileResource) files.getContent("/file.txt").getResource();
        held = found.acquire();
    }

    @AfterEach
    void close() throws Exception {
        held.release();
        files.stop();
    }

    private void overwrite() throws Exception {
        Files.setLastModifiedTime(path, FileTime.fromMillis(0));
    }

    @RepeatedTest(3)
    void noRangeOfAnotherVersionFollows() throws Exception {
        FileResource ranges = new FileResource(found, held);
        assertEquals("several", Content.Source.asString(ranges.newContentSource(BUFFERS, 3, 7)));
        overwrite();
        Content.Chunk refused = ranges.newContentSource(BUFFERS, 11, 7).read();
        assertInstanceOf(OverwrittenFileException.class, refused.getFailure());
    }

    @RepeatedTest(3)
    void noPartOfAnotherVersionIsCopied() throws Exception {
        try (OpenFileChannel copied = new OpenFileChannel(found.acquire(), 0, false, read -> {}, failure -> {})) {
            assertEquals(10, copied.read(ByteBuffer.allocate(10)));
            overwrite();
            assertThrows(OverwrittenFileException.class, () -> copied.read(ByteBuffer.allocate(10)));
        }
    }

    @RepeatedTest(3)
    void noPartOfAnotherVersionGoesByTheKernel() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
                SocketChannel socket = SocketChannel.open(listener.getLocalAddress());
                SocketChannel ignored = listener.accept()) {
            FileRegion region = new FileRegion(held, 0, held.token(0, SIZE), null, false, null);
            assertEquals(10, region.transferTo(socket, 10));
            overwrite();
            assertThrows(OverwrittenFileException.class, () -> region.transferTo(socket, 10));
        }
    }

    @RepeatedTest(3)
    void noPartOfALongerVersionFollowsWhatHasLeftWithTheHeader() throws Exception {
        FileRegion region = new FileRegion(held, 0, held.token(0, SIZE), null, true, null);
        region.beforeFirst(false);
        // As a socket that takes a part, and a peer that sees it at once.
        region.token().position(10);
        Files.writeString(path, "is another text, and a longer one");
        overwrite();
        region.advance(0);
        assertThrows(OverwrittenFileException.class, () -> region.read(ByteBuffer.allocate(10)));
    }

    @RepeatedTest(3)
    void noPartOfAnotherVersionIsReadForTls() throws Exception {
        FileRegion region = new FileRegion(held, 0, held.token(0, SIZE), null, false, null);
        region.advance(region.read(ByteBuffer.allocate(10)));
        overwrite();
        assertThrows(OverwrittenFileException.class, () -> region.read(ByteBuffer.allocate(10)));
    }
}
