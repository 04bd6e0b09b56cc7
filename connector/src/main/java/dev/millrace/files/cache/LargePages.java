package dev.millrace.files.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory of large pages: a mapped file on a hugetlbfs mount, the only way that needs no native code. Such pages are not
 * swapped, and take fewer entries of the processor's address cache.
 */
public final class LargePages {
    private static final Logger LOG = LoggerFactory.getLogger(LargePages.class);

    private LargePages() {}

    /**
     * @param mount a directory on a hugetlbfs mount
     * @return that much memory, of ordinary pages when the system does not grant large ones, which is logged
     */
    public static ByteBuffer allocate(Path mount, int bytes) {
        try {
            return map(mount, bytes);
        } catch (IOException x) {
            LOG.warn("No large pages for the content cache, ordinary ones instead: {}", reason(x));
            return ByteBuffer.allocateDirect(bytes);
        }
    }

    // The message of the file system's is the path alone.
    private static String reason(IOException failure) {
        return failure instanceof FileSystemException ? failure.toString() : String.valueOf(failure.getMessage());
    }

    private static ByteBuffer map(Path mount, int bytes) throws IOException {
        FileStore store = Files.getFileStore(mount);
        if (!store.type().equals("hugetlbfs")) {
            throw new IOException(mount + " is of type " + store.type() + ", not hugetlbfs");
        }
        long page = store.getBlockSize();
        long whole = (bytes + page - 1) / page * page;
        Path file = Files.createTempFile(mount, "millrace", ".cache");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, 0, whole).slice(0, bytes);
        } catch (IOException | IllegalArgumentException x) {
            throw new IOException(
                    "cannot map " + whole + " bytes in " + mount + " (" + x.getMessage()
                            + "): too few pages in /proc/sys/vm/nr_hugepages?",
                    x);
        } finally {
            // The mapping keeps the pages.
            Files.delete(file);
        }
    }
}
