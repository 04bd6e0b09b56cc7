package dev.millrace.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.resource.Resource;

/**
 * A resource that answers from the version of a file that is open, without asking the file system again; what it
 * answers belongs together. Multiple ranges read it, and by it the same version.
 */
class FileResource extends Resource implements Content.Source.Factory {
    private final SendfileContent content;
    private final Resource resource;

    FileResource(SendfileContent content, Resource resource) {
        this.content = content;
        this.resource = resource;
        // Resolved once, before other threads see it: a resource remembers this, but not in a thread-safe manner.
        resource.isAlias();
    }

    FileResource(FileResource other) {
        this.content = other.content;
        this.resource = other.resource;
    }

    /** @return the open file, with a count that the caller must release */
    OpenFile acquire() throws IOException {
        return content.acquire();
    }

    /** Whether the system refuses to map the file. */
    boolean isMappingRefused() {
        try {
            OpenFile held = acquire();
            try {
                return held.size() > 0 && held.isMappingRefused(held.size());
            } finally {
                held.release();
            }
        } catch (IOException x) {
            // Told to who reads it.
            return false;
        }
    }

    @Override
    public Content.Source newContentSource(ByteBufferPool.Sized pool, long offset, long length) {
        try {
            return Content.Source.from(pool, new OpenFileChannel(acquire(), offset), 0, length);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    @Override
    public boolean exists() {
        return true;
    }

    @Override
    public boolean isDirectory() {
        return false;
    }

    @Override
    public boolean isReadable() {
        return true;
    }

    @Override
    public long length() {
        return content.getContentLengthValue();
    }

    @Override
    public Instant lastModified() {
        return content.getLastModifiedInstant();
    }

    @Override
    public Path getPath() {
        return resource.getPath();
    }

    @Override
    public URI getURI() {
        return resource.getURI();
    }

    @Override
    public String getName() {
        return resource.getName();
    }

    @Override
    public String getFileName() {
        return resource.getFileName();
    }

    @Override
    public List<Resource> list() {
        return List.of();
    }

    @Override
    public Resource resolve(String subUriPath) {
        return resource.resolve(subUriPath);
    }

    @Override
    public boolean isAlias() {
        return resource.isAlias();
    }

    @Override
    public URI getRealURI() {
        return resource.getRealURI();
    }

    @Override
    public boolean isSameFile(Path path) {
        return resource.isSameFile(path);
    }

    // Of the class that it stands for: the files of one directory are still of one kind.
    @Override
    public boolean equals(Object other) {
        return other instanceof FileResource that && resource.equals(that.resource);
    }

    @Override
    public int hashCode() {
        return resource.hashCode();
    }
}
