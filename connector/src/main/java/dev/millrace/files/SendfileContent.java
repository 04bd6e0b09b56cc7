package dev.millrace.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Set;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.DateGenerator;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.Resource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One version of a file as content: its header fields, made once, and its bytes, which go by the kernel where that is
 * possible. Fields and bytes are always of the same version. Shared by all requests; owns a count of its open file from
 * when it is made until {@link #retire}.
 */
final class SendfileContent extends HttpContent.Wrapper {
    private static final Logger LOG = LoggerFactory.getLogger(SendfileContent.class);
    /** What a copy reads at once: Jetty's own buffers have the same size. */
    private static final int BLOCK_BYTES = 32 * 1024;

    private final SendfileContentFactory factory;
    private final OpenFile file;
    private final ContentCache.Slot slot;
    private final Resource resource;
    private final Instant lastModifiedInstant;
    private final HttpField lastModified;
    private final HttpField contentLength;
    private final HttpField contentType;
    private final HttpField etag;

    SendfileContent(SendfileContentFactory factory, HttpContent found, OpenFile file) {
        super(found);
        this.factory = factory;
        this.file = file;
        this.slot = new ContentCache.Slot(file);
        this.lastModifiedInstant = file.version().lastModified();
        this.lastModified = new PreEncodedHttpField(HttpHeader.LAST_MODIFIED,
                DateGenerator.formatDate(lastModifiedInstant));
        this.contentLength = new HttpField.LongValueHttpField(HttpHeader.CONTENT_LENGTH, file.size());
        this.contentType = found.getContentType() == null ? null
                : new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, found.getContentTypeValue());
        this.etag = new PreEncodedHttpField(HttpHeader.ETAG, file.etag());
        this.resource = new FileResource(this, found.getResource());
    }

    OpenFile file() {
        return file;
    }

    /** Gives back the count of the open file; those who send it still hold theirs. Called once. */
    void retire() {
        ContentCache cache = factory.contentCache();
        if (cache != null) {
            cache.retire(slot);
        }
        file.release();
    }

    @Override
    public HttpField getContentType() {
        return contentType;
    }

    @Override
    public HttpField getContentLength() {
        return contentLength;
    }

    @Override
    public long getContentLengthValue() {
        return file.size();
    }

    @Override
    public HttpField getLastModified() {
        return lastModified;
    }

    @Override
    public Instant getLastModifiedInstant() {
        return lastModifiedInstant;
    }

    @Override
    public HttpField getETag() {
        return etag;
    }

    @Override
    public Resource getResource() {
        return resource;
    }

    @Override
    public Set<CompressedContentFormat> getPreCompressedContentFormats() {
        return getWrapped().getPreCompressedContentFormats();
    }

    @Override
    public void writeTo(Content.Sink sink, long offset, long length, Callback callback) {
        long bytes = length < 0 ? getContentLengthValue() - offset : length;
        if (Route.isHeadOnly(sink)) {
            sink.write(true, BufferUtil.EMPTY_BUFFER, callback);
            return;
        }
        ServletLength.moveBelow(sink);
        ContentCache cache = factory.contentCache();
        ContentMemory memory = cache == null ? null : cache.use(slot);
        if (memory != null) {
            Route route = Route.cached(sink);
            factory.onRoute(sink, route, file.path(), offset, bytes);
            route.sink().write(true, memory.part(offset, (int) bytes), new CountedWrite(memory::release, route.sink(), callback));
            return;
        }
        write(sink, offset, bytes, callback);
    }

    private void write(Content.Sink sink, long offset, long bytes, Callback callback) {
        Route route = bytes < factory.getMinTransferBytes() ? Route.small(sink)
                : Route.of(sink, bytes, !Route.isRange(sink) && factory.isCompressible(contentType, file.size()));
        OpenFile held;
        try {
            held = acquire();
        } catch (IOException x) {
            callback.failed(x);
            return;
        }
        if (route.obstacle() == null && bytes > 0 && held.isMappingRefused(offset + bytes)) {
            route = route.unmapped();
        }
        boolean isGathered = route.obstacle() == null && bytes <= factory.getMaxGatherBytes();
        factory.onRoute(sink, isGathered ? route.gathered() : route, file.path(), offset, bytes);
        if (route.obstacle() == null) {
            new RegionWriter(route.endPoint(), route.sink(), held, factory.transferAlgorithm(), isGathered, offset, bytes,
                    callback).iterate();
        } else if (bytes <= BLOCK_BYTES) {
            writeBlock(route.sink(), bufferPool(sink), held, offset, (int) bytes, callback);
        } else {
            ByteBufferPool.Sized blocks = new ByteBufferPool.Sized(bufferPool(sink), true, BLOCK_BYTES);
            Content.copy(Content.Source.from(blocks, new OpenFileChannel(held, offset), 0, bytes), route.sink(), callback);
        }
    }

    /**
     * @return the open file, with a count that the caller must release
     * @throws IOException when it is closed, and the path has another version by now
     */
    OpenFile acquire() throws IOException {
        if (file.retain()) {
            return file;
        }
        // Evicted since it was looked up.
        return factory.openFiles().reopen(getResource().getPath(), file.version());
    }

    private static void writeBlock(Content.Sink sink, ByteBufferPool pool, OpenFile file, long offset, int bytes,
            Callback callback) {
        RetainableByteBuffer.Mutable block = pool.acquire(bytes, true);
        try {
            ByteBuffer buffer = block.getByteBuffer();
            buffer.clear().limit(bytes);
            file.read(buffer, offset);
            buffer.flip();
        } catch (IOException | RuntimeException x) {
            block.release();
            if (x instanceof ShortFileException) {
                LOG.warn("Aborting an answer: {}", x.getMessage());
            }
            callback.failed(x);
            return;
        } finally {
            file.release();
        }
        sink.write(true, block.getByteBuffer(), new CountedWrite(block::release, sink, callback));
    }

    private static ByteBufferPool bufferPool(Content.Sink sink) {
        return sink instanceof Response response
                ? response.getRequest().getComponents().getByteBufferPool() : ByteBufferPool.NON_POOLING;
    }
}
