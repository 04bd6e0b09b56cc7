package dev.millrace.webapp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Generates the files of the file transfer experiments: 1 KB, 200 KB, 500 KB, 1 MB, 20 MB and 100 MB, in powers of
 * 1024. Their bytes are the same on every machine and in every run, look random, and do not compress. Stateless.
 */
public final class SampleFiles {
    /** Sizes in bytes by file name, smallest first. */
    static final Map<String, Integer> SIZES = new LinkedHashMap<>();

    private static final int BLOCK = 1 << 16;

    static {
        SIZES.put("1KB.bin", 1 << 10);
        SIZES.put("200KB.bin", 200 << 10);
        SIZES.put("500KB.bin", 500 << 10);
        SIZES.put("1MB.bin", 1 << 20);
        SIZES.put("20MB.bin", 20 << 20);
        SIZES.put("100MB.bin", 100 << 20);
    }

    private SampleFiles() {}

    /**
     * Writes the files that are missing.
     *
     * @param folder an existing folder
     * @throws IOException when a file cannot be written; an incomplete file never has its final name
     */
    public static void write(Path folder) throws IOException {
        for (Map.Entry<String, Integer> file : SIZES.entrySet()) {
            Path path = folder.resolve(file.getKey());
            if (!Files.exists(path) || Files.size(path) != file.getValue()) {
                Path partial = folder.resolve("." + file.getKey() + ".part");
                fill(partial, file.getValue());
                // A fixed time makes ETag and Last-Modified the same in every run.
                Files.setLastModifiedTime(partial, FileTime.fromMillis(1_230_768_000_000L));
                Files.move(partial, path, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static void fill(Path path, int size) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
        long state = size;
        try (FileChannel channel = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            for (int left = size; left > 0; ) {
                block.clear();
                while (block.hasRemaining()) {
                    // xorshift64* (Vigna 2016), because java.util's fast generators may change between JDKs.
                    state ^= state >>> 12;
                    state ^= state << 25;
                    state ^= state >>> 27;
                    block.putLong(state * 0x2545F4914F6CDD1DL);
                }
                block.flip().limit(Math.min(left, BLOCK));
                left -= block.remaining();
                while (block.hasRemaining()) {
                    channel.write(block);
                }
            }
        }
    }
}
