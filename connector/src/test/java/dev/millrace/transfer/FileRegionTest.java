package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whether a region's bytes lie in memory, and whether they are there at all. */
class FileRegionTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    private Path file(long size) throws IOException {
        Path file = directory.resolve("file.bin");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
            // A hole: nobody has written what a reader would find, so none of it is in memory.
            channel.write(ByteBuffer.allocate(1), size - 1);
        }
        return file;
    }

    // Written, for not every file system keeps in memory what was read: on tmpfs, a hole stays one.
    private static void load(FileChannel channel, long from, int bytes) throws IOException {
        assertEquals(bytes, channel.write(ByteBuffer.allocate(bytes), from));
    }

    @Test
    void isLoadedWhenEachPartIs() throws IOException {
        try (FileChannel channel =
                FileChannel.open(file(64 * MIB), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer token = channel.map(MapMode.READ_ONLY, 0, 64 * MIB);
            FileRegion region = new FileRegion(channel, 0, token);
            assumeFalse(region.isLoaded(2 * MIB), "this file system does not tell");
            load(channel, 0, MIB / 4);
            assertTrue(region.isLoaded(MIB / 4));
            assertFalse(region.isLoaded(2 * MIB), "the end is not");
            load(channel, 2 * MIB - 1, 1);
            assertFalse(region.isLoaded(2 * MIB), "the middle is not");
            load(channel, 0, 2 * MIB);
            assertTrue(region.isLoaded(2 * MIB));
            token.position(32 * MIB);
            assertFalse(region.isLoaded(2 * MIB), "what comes next is not");
            token.position(token.limit());
            assertTrue(region.isLoaded(2 * MIB), "nothing is left");
        }
    }

    // The place after the last that is asked about is beyond what an int can hold.
    @Test
    void isLoadedAtTheEndOfTheLargestMapping() throws IOException {
        try (FileChannel channel =
                FileChannel.open(file(Integer.MAX_VALUE), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer token = channel.map(MapMode.READ_ONLY, 0, Integer.MAX_VALUE);
            token.position(Integer.MAX_VALUE - MIB / 2 - 10);
            load(channel, token.position(), token.remaining());
            assertTrue(new FileRegion(channel, token.position(), token).isLoaded(MIB));
        }
    }

    @Test
    void isNotLoadedWhereNothingIsMapped() throws IOException {
        Path file = Files.write(directory.resolve("small.bin"), new byte[10]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            assertFalse(new FileRegion(channel, 0, ByteBuffer.allocate(10)).isLoaded(10));
        }
    }

    /** Of its last page a mapping shows zeros where the file has ended. */
    @Test
    void doesNotGoWithItsHeaderWhenTheFileIsShorter() throws IOException {
        Path path = Files.write(directory.resolve("shorter.bin"), new byte[100]);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            FileRegion unchecked = region(file);
            FileRegion checked = region(file);
            checked.checkNotTruncated();
            assertTrue(checked.leavesWithHeader(write(checked), 1));
            file.truncate(50);
            TruncatedFileException truncated =
                    assertThrows(TruncatedFileException.class, () -> unchecked.leavesWithHeader(write(unchecked), 1));
            assertTrue(truncated.getMessage().startsWith("shorter.bin was truncated"), truncated::getMessage);
            Await.until("asked again", () -> isTruncated(checked));
        }
    }

    /** The system then finds nothing at the address of a page, and the write fails as where the peer has gone. */
    @Test
    void tellsAFileThatIsShorterFromAPeerThatHasGone() throws IOException {
        Path path = Files.write(directory.resolve("shorter.bin"), new byte[100]);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            FileRegion region = region(file);
            IOException failure = new IOException("Bad address");
            assertSame(failure, region.failureOf(failure));
            file.truncate(0);
            assertInstanceOf(TruncatedFileException.class, region.failureOf(failure));
            file.close();
            assertSame(failure, region.failureOf(failure), "the file was given back");
        }
    }

    private record Named(FileChannel channel, String path) implements FileSource {}

    private static FileRegion region(FileChannel file) throws IOException {
        MappedByteBuffer token = file.map(MapMode.READ_ONLY, 0, 100);
        return new FileRegion(new Named(file, "shorter.bin"), 0, token, null, true, null);
    }

    private static ByteBuffer[] write(FileRegion region) {
        return new ByteBuffer[] {ByteBuffer.allocate(10), region.token()};
    }

    private static boolean isTruncated(FileRegion region) {
        try {
            return !region.leavesWithHeader(write(region), 1);
        } catch (TruncatedFileException x) {
            return true;
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    /** Linux gives each file of its sysfs the size of a page. */
    @Test
    @Timeout(60)
    void cannotBeReadToAnEndThatIsNotThere() throws IOException {
        Path path = Path.of("/sys/devices/system/cpu/online");
        assumeTrue(Files.isReadable(path), "no sysfs");
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            FileRegion region = new FileRegion(file, 0, ByteBuffer.allocate((int) file.size()));
            region.advance(region.read(ByteBuffer.allocate(region.remaining())));
            assertTrue(region.sent() > 0 && region.remaining() > 0, region::toString);
            assertThrows(UnreadableFileException.class, () -> region.read(ByteBuffer.allocate(region.remaining())));
        }
    }

    @Test
    void leavesTheFileOpenThoughItsThreadIsInterrupted() throws IOException {
        Path path = Files.write(directory.resolve("shared.bin"), new byte[100]);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
                ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
                SocketChannel socket = SocketChannel.open(listener.getLocalAddress());
                SocketChannel peer = listener.accept()) {
            socket.configureBlocking(false);
            FileRegion region = new FileRegion(file, 0, file.map(MapMode.READ_ONLY, 0, 100));
            Thread.currentThread().interrupt();
            assertEquals(100, region.transferTo(socket, 100));
            assertTrue(Thread.interrupted(), "the application's interrupt");
            assertTrue(file.isOpen());
            ByteBuffer received = ByteBuffer.allocate(100);
            while (received.hasRemaining()) {
                assertTrue(peer.read(received) > 0);
            }
        }
    }
}
