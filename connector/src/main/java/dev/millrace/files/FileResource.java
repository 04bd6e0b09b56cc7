package dev.millrace.files;

import dev.millrace.files.cache.OpenFile;
import dev.millrace.files.cache.OpenFileChannel;
import dev.millrace.transfer.FileFailedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.resource.Resource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A resource that answers from the version of a file that is open, without asking the file system again. All that it answers is
 * of that version, also to a request of several ranges.
 */
class FileResource extends Resource implements Content.Source.Factory {
    private static final Logger LOG = LoggerFactory.getLogger(FileResource.class);

    private final Mount mount;
    private final String path;
    private final OpenFile file;
    private final Resource resource;
    private final boolean isCompressible;
    /** Whether this belongs to one answer, of which a part may have left. */
    private final boolean isHeld;

    /**
     * @param path what was asked for
     * @param file open as long as its content is kept
     * @param resource where it was found
     * @param contentType of the file; an application may give it another in its answers
     */
    FileResource(Mount mount, String path, OpenFile file, Resource resource, @Nullable HttpField contentType) {
        this.mount = mount;
        this.path = path;
        this.file = file;
        this.resource = resource;
        this.isCompressible = SendfileSettings.isCompressible(contentType);
        this.isHeld = false;
        // Resolved once, before other threads see it: a resource remembers this, but not in a thread-safe manner.
        resource.isAlias();
    }

    /** @param held for an answer */
    FileResource(FileResource held) {
        this(held, held.file);
    }

    /**
     * The same for an answer that asks for the file more than once.
     *
     * @param held what was acquired; open until the answer has ended
     */
    FileResource(FileResource other, OpenFile held) {
        this.mount = other.mount;
        this.path = other.path;
        this.file = held;
        this.resource = other.resource;
        this.isCompressible = other.isCompressible;
        this.isHeld = true;
    }

    /**
     * Keeps the file open until a request has ended.
     *
     * @param content whose resource this is
     * @return the same content, of the file that is kept open
     * @throws IOException as {@link #acquire}
     */
    HttpContent hold(HttpContent content, Request request) throws IOException {
        OpenFile acquired = acquire();
        try {
            Request.addCompletionListener(request, failure -> acquired.release());
        } catch (RuntimeException | Error x) {
            // An application may go on with a request that has ended.
            acquired.release();
            throw x;
        }
        FileResource held = new FileResource(this, acquired);
        return new HttpContent.Wrapper(content) {
            @Override
            public Resource getResource() {
                return held;
            }
        };
    }

    /**
     * Whether a compression around is given the whole file, whatever type an application gives it. The answer does not depend on whether
     * the file is in memory, for then its Content-Encoding would change with that.
     */
    boolean isForCompression() {
        return mount.settings().isForCompression(isCompressible, file.size());
    }

    /**
     * Whether the file itself, or another variant of it, was modified at a date.
     *
     * @param date as in {@code Last-Modified}
     * @param content whose resource this is
     * @param variants of the file
     */
    boolean isDateOfOtherCoding(String date, HttpContent content, Set<CompressedContentFormat> variants) {
        String plain = path;
        for (CompressedContentFormat variant : variants) {
            if (variant.getEncoding().equals(content.getContentEncodingValue())) {
                plain = path.substring(0, path.length() - variant.getExtension().length());
            }
        }
        if (!plain.equals(path) && isModifiedAt(date, plain)) {
            return true;
        }
        for (CompressedContentFormat variant : variants) {
            String other = plain + variant.getExtension();
            if (!other.equals(path) && isModifiedAt(date, other)) {
                return true;
            }
        }
        return false;
    }

    private boolean isModifiedAt(String date, String other) {
        try {
            HttpContent content = mount.lookUp().getContent(other);
            HttpField modified = content == null ? null : content.getLastModified();
            return modified != null && date.equals(modified.getValue());
        } catch (IOException x) {
            LOG.debug("Cannot open {}", other, x);
            return false;
        }
    }

    Mount mount() {
        return mount;
    }

    /**
     * @return the open file, with a count that the caller must release
     * @throws IOException when it is closed, and the path has another version by now
     */
    OpenFile acquire() throws IOException {
        // Where it was evicted since it was looked up, it is opened again.
        return file.tryRetain() ? file : mount.openFiles().reopen(path, file.path(), file.version());
    }

    /** A validator of the version that is open. */
    String etag() {
        return file.etag();
    }

    /** Whether the system refuses to map the file, which is held. */
    boolean isMappingRefused() {
        return file.size() > 0 && file.isMappingRefused(file.size());
    }

    @Override
    public Content.Source newContentSource(ByteBufferPool.Sized pool, long offset, long length) {
        return newContentSource(pool, offset, length, read -> {}, failure -> failure.log("an answer"));
    }

    /**
     * @param onRead is told with each read how many bytes that were
     * @param onFailed is told that the file has failed
     */
    final Content.Source newContentSource(
            ByteBufferPool.Sized pool,
            long offset,
            long length,
            LongConsumer onRead,
            Consumer<FileFailedException> onFailed) {
        OpenFileChannel channel;
        try {
            channel = new OpenFileChannel(acquire(), offset, isHeld, onRead, onFailed);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
        return channel.source(pool, length);
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
        return file.size();
    }

    @Override
    public Instant lastModified() {
        return file.version().lastModified();
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
