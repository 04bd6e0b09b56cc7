package dev.millrace.peers.soak;

import dev.millrace.peers.soak.SoakFile.Change;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The files of a soak in their directory. One thread changes them. */
final class SoakFiles {
    private static final int[] SIZES = {104, 800, 12_000, 20_000, 60_000, 72_000, 304_000, 1_504_000};
    private static final int REPLACED_PER_SIZE = 8;
    private static final int DELETED_PER_SIZE = 2;
    private static final int[] GROWING_SIZES = {4_000, 48_000, 400_000};
    private static final int LARGE_BYTES = 4_000_000;

    private final Path directory;
    private final List<SoakFile> files = new ArrayList<>();
    private final SoakFile large = new SoakFile(1, "large.bin", LARGE_BYTES, Change.REPLACED);
    private int version;

    SoakFiles(Path directory) throws IOException {
        this.directory = directory;
        for (int size : SIZES) {
            for (int i = 0; i < REPLACED_PER_SIZE; i++) {
                add(size, Change.REPLACED);
            }
            for (int i = 0; i < DELETED_PER_SIZE; i++) {
                add(size, Change.DELETED);
            }
        }
        for (int size : GROWING_SIZES) {
            add(size, Change.GROWING);
        }
        replace(large);
    }

    private void add(int bytes, Change change) throws IOException {
        int number = files.size() + 2;
        SoakFile file = new SoakFile(number, number + ".bin", bytes, change);
        files.add(file);
        if (change == Change.GROWING) {
            Files.write(path(file), file.content(0, 0, bytes));
        } else {
            replace(file);
        }
    }

    private Path path(SoakFile file) {
        return directory.resolve(file.name());
    }

    SoakFile any(Random random) {
        return files.get(random.nextInt(files.size()));
    }

    /** A file that is larger than what the buffers of two sockets hold. */
    SoakFile large() {
        return large;
    }

    /** Changes one file, or comes to the next step of a change. */
    void change(Random random) throws IOException {
        if (random.nextInt(100) == 0) {
            replace(large);
        }
        SoakFile file = any(random);
        switch (file.change()) {
            case REPLACED -> replace(file);
            case DELETED -> {
                if (!Files.deleteIfExists(path(file))) {
                    replace(file);
                }
            }
            case GROWING -> grow(file, random);
        }
    }

    private void replace(SoakFile file) throws IOException {
        version++;
        Path next = directory.resolve("next");
        Files.write(next, file.content(version, 0, file.bytes(version)));
        Files.move(next, path(file), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void grow(SoakFile file, Random random) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(path(file).toFile(), "rw")) {
            int end = (int) open.length();
            int words = 1 + random.nextInt(file.baseBytes() / Long.BYTES);
            if (end > file.baseBytes()) {
                open.setLength((long) words * Long.BYTES);
            } else {
                open.seek(end);
                open.write(file.content(0, end, end + words * Long.BYTES));
            }
        }
    }
}
