package dev.millrace.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.SplittableRandom;

/** Files with bytes that tell where they stand. */
public final class TestFiles {
    private TestFiles() {}

    /** Writes a file of random bytes, the same for the same name and size. It is a minute old, as one has to be that a cache takes. */
    public static byte[] write(Path directory, String name, int size) throws IOException {
        byte[] bytes = new byte[size];
        new SplittableRandom(name.hashCode() * 31L + size).nextBytes(bytes);
        age(Files.write(directory.resolve(name), bytes));
        return bytes;
    }

    /** Makes a file as long as this: of one that is shorter, or not there, the rest is a hole. */
    public static void resize(Path path, long bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(bytes);
        }
    }

    /** Makes a file a minute old. */
    public static Path age(Path file) throws IOException {
        return Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
    }

    /** Makes a named pipe, at which who opens it waits for the other end. */
    public static Path pipe(Path directory, String name) throws IOException, InterruptedException {
        Path pipe = directory.resolve(name);
        if (new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() != 0) {
            throw new IOException("cannot make " + pipe);
        }
        return pipe;
    }
}
