package dev.millrace.files.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What tells one version of a file from another: equal as long as the file is neither replaced nor written to. Writing into a
 * file within the resolution of the file system's clock, without changing its size, goes unseen; replacing it does not.
 *
 * @param key identifies the file in its file system (device and inode); null where there is no such thing
 * @param sizeBytes its length
 * @param modified when it was last written
 */
public record FileVersion(@Nullable Object key, long sizeBytes, FileTime modified) {
    /**
     * One stat(2) or lstat(2).
     *
     * @param path a regular file
     * @param options whether a link at its end is followed, or is no regular file
     * @throws NoSuchFileException when there is none, or it is not a regular file: opening a pipe would wait for a
     *     writer
     */
    public static FileVersion of(Path path, LinkOption... options) throws IOException {
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class, options);
        if (!now.isRegularFile()) {
            throw new NoSuchFileException(path.toString(), null, "not a regular file");
        }
        return new FileVersion(now.fileKey(), now.size(), now.lastModifiedTime());
    }

    /**
     * @param now the version by the same path
     * @return whether the file has been written to since, and not replaced
     */
    boolean isWrittenBy(FileVersion now) {
        return Objects.equals(key, now.key) && !modified.equals(now.modified);
    }

    /** @return whether it is a version of the same file, as far as the file system tells files from versions */
    boolean isOfSameFile(FileVersion other) {
        return key == null ? equals(other) : key.equals(other.key);
    }

    /** @return whether the file has grown since: a log that is written to all the time is no version for long */
    boolean hasGrownTo(FileVersion now) {
        return isOfSameFile(now) && now.sizeBytes > sizeBytes;
    }

    /** A weak validator of this version, unlike those that Jetty makes. */
    String etag() {
        return "W/\"" + modified.to(TimeUnit.NANOSECONDS) + "." + sizeBytes + "\"";
    }

    public Instant lastModified() {
        return modified.toInstant();
    }
}
