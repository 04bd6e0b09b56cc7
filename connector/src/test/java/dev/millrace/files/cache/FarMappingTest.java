package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.millrace.testing.TestFiles;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a file of 4 TiB is mapped with what comes before it: that takes some microseconds for each GiB, and not more with each. */
class FarMappingTest {
    private static final long FILE_BYTES = 4L << 40;
    /** Of 4,096 mappings some 500 bytes each. To copy the list of them for each takes 33 MB besides. */
    private static final long MOST_ALLOCATED_BYTES = 8 << 20;

    @TempDir
    Path directory;

    @Test
    void allocatesForEachMappingTheSame() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Path path = directory.resolve("sparse.bin");
        TestFiles.resize(path, FILE_BYTES);
        OpenFile file = OpenFile.open(path, new FileCloser());
        try {
            long before = threads.getCurrentThreadAllocatedBytes();
            assertFalse(file.isMappingRefused(FILE_BYTES));
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertTrue(allocated < MOST_ALLOCATED_BYTES, allocated + " bytes");
        } finally {
            file.release();
        }
    }
}
