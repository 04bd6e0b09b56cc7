package dev.millrace.files.cache;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds what is asked for. Thread-safe. */
@FunctionalInterface
public interface Finder {
    /**
     * @param path what is asked for
     * @param before where that was
     * @return where it is; null when it is nowhere
     */
    @Nullable Path find(String path, Path before) throws IOException;
}
