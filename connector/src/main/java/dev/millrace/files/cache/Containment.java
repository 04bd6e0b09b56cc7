package dev.millrace.files.cache;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where files may be sent from. Thread-safe. */
@FunctionalInterface
public interface Containment {
    /**
     * @param path what was asked for
     * @param file where that was found
     * @return the real path of the file; null when it leads out
     */
    @Nullable Path realPath(String path, Path file) throws IOException;

    /**
     * Checks a file that is open already: a link on its path may have come, or become another one.
     *
     * @return false when the path leads to another file by now, of which nothing is known
     * @throws NoSuchFileException when it leads out
     */
    default boolean contains(String path, OpenFile file) throws IOException {
        Path real = realPath(path, file.path());
        if (real == null) {
            throw new NoSuchFileException(file.path().toString(), null, "leads out of its root");
        }
        return FileVersion.of(real).isOfSameFile(file.version());
    }
}
