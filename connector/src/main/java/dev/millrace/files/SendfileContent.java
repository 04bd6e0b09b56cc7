package dev.millrace.files;

import dev.millrace.files.cache.ContentCache;
import dev.millrace.files.cache.ContentMemory;
import dev.millrace.files.cache.OpenFile;
import dev.millrace.files.cache.OpenFileChannel;
import dev.millrace.transfer.FileFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import org.eclipse.jetty.http.DateGenerator;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.server.AliasCheck;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.Resource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One version of a file as content: its header fields, made once, and its bytes, which go by the kernel where that is
 * possible. Fields and bytes are always of the same version. Shared by all requests; owns a count of its open file from
 * when it is made until its cache retires it.
 */
final class SendfileContent extends HttpContent.Wrapper {
    private static final Logger LOG = LoggerFactory.getLogger(SendfileContent.class);
    /** What a copy reads at once: Jetty's own buffers have the same size. */
    private static final int BLOCK_BYTES = 32 * 1024;
    /** What a copy for HTTP/2 reads at once, for several frames: the largest buffer that Jetty's pool keeps. */
    private static final int FRAMED_BLOCK_BYTES = 64 * 1024;

    private final Mount mount;
    private final String path;
    private final FileResource resource;
    private final OpenFile file;
    private final ContentCache.@Nullable Slot slot;
    private final boolean isSmall;
    private final HttpField lastModified;
    private final HttpField contentLength;
    private final @Nullable HttpField contentType;
    private final HttpField etag;

    /**
     * @param found what is there, a file
     * @param slot of it in the content cache; null where it does not come in
     */
    SendfileContent(Mount mount, String path, HttpContent found, OpenFile file, ContentCache.@Nullable Slot slot) {
        super(found);
        this.mount = mount;
        this.path = path;
        this.file = file;
        this.slot = slot;
        this.isSmall = slot != null && slot.isSmall();
        this.lastModified = new PreEncodedHttpField(
                HttpHeader.LAST_MODIFIED,
                DateGenerator.formatDate(file.version().lastModified()));
        this.contentLength = new HttpField.LongValueHttpField(HttpHeader.CONTENT_LENGTH, file.size());
        this.contentType = found.getContentType() == null
                ? null
                : new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, found.getContentTypeValue());
        this.resource = new FileResource(mount, path, file, found.getResource(), contentType);
        this.etag = new PreEncodedHttpField(HttpHeader.ETAG, file.etag());
    }

    OpenFile file() {
        return file;
    }

    /** Has the bytes leave the content cache, and stay out. */
    void retire() {
        if (slot != null) {
            slot.retire();
        }
    }

    @Override
    public @Nullable HttpField getContentType() {
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
        return file.version().lastModified();
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
    public void writeTo(Content.Sink to, long offset, long length, Callback callback) {
        long bytes = length < 0 ? getContentLengthValue() - offset : length;
        if (SendPath.isHeadOnly(to)) {
            to.write(true, BufferUtil.EMPTY_BUFFER, callback);
            return;
        }
        Content.Sink sink = SendPath.pastServlet(to);
        ContentMemory memory = slot != null && isSmall ? slot.use() : null;
        if (memory == null) {
            write(sink, offset, bytes, callback);
        } else {
            write(sink, memory, offset, bytes, callback);
        }
    }

    private boolean isCompressible(Content.Sink sink) {
        return !SendPath.isRange(sink) && resource.isForCompression();
    }

    private void write(Content.Sink sink, ContentMemory memory, long offset, long bytes, Callback callback) {
        SendPath sendPath;
        ByteBuffer part;
        try {
            sendPath = SendPath.copied(sink, Obstacle.CACHED, isCompressible(sink));
            part = memory.part(offset, (int) bytes);
            mount.onAnswer(sink, sendPath.obstacle(), file.path(), offset, bytes);
            mount.onCopied(sendPath.copiedBy(), bytes);
        } catch (RuntimeException | Error x) {
            memory.release();
            throw x;
        }
        sendPath.lend(memory::release, true, part, callback);
    }

    private void write(Content.Sink sink, long offset, long bytes, Callback callback) {
        SendfileSettings settings = mount.settings();
        boolean isCompressible = isCompressible(sink);
        SendPath sendPath = bytes < settings.getMinTransferBytes()
                ? SendPath.copied(sink, Obstacle.SMALL, isCompressible)
                : SendPath.of(sink, bytes, isCompressible);
        ContentMemory memory =
                slot != null && !isSmall && sendPath.obstacle() == Obstacle.END_POINT ? slot.use() : null;
        if (memory != null) {
            write(sink, memory, offset, bytes, callback);
            return;
        }
        OpenFile held;
        try {
            held = resource.acquire();
        } catch (IOException x) {
            writeNewer(sink, callback, x);
            return;
        }
        boolean isGathered;
        boolean isToken;
        try {
            // What TLS reads as one block needs no token.
            isToken = sendPath.endPoint() != null && (sendPath.obstacle() == null || bytes > BLOCK_BYTES);
            if (isToken && bytes > 0 && held.isMappingRefused(offset + bytes)) {
                sendPath = sendPath.unmapped();
                isToken = false;
            }
            isGathered = sendPath.endPoint() != null && bytes <= settings.getMaxGatherBytes();
            Obstacle copiedBy = sendPath.obstacle() == null && isGathered ? Obstacle.GATHERED : sendPath.obstacle();
            mount.onAnswer(sink, copiedBy, file.path(), offset, bytes);
        } catch (RuntimeException | Error x) {
            // No writer has the count yet, to give it back.
            held.release();
            throw x;
        }
        if (isToken) {
            if (sendPath.obstacle() == null && isGathered) {
                mount.onCopied(Obstacle.GATHERED, bytes);
            }
            new RegionWriter(mount, sendPath, held, isGathered, offset, bytes, callback).iterate();
        } else {
            copy(sendPath, held, offset, bytes, callback);
        }
    }

    private void copy(SendPath sendPath, OpenFile held, long offset, long bytes, Callback callback) {
        int blockBytes = sendPath.isFramed() ? FRAMED_BLOCK_BYTES : BLOCK_BYTES;
        if (bytes <= blockBytes) {
            mount.onCopied(sendPath.copiedBy(), bytes);
            writeBlock(sendPath, bufferPool(sendPath.response()), held, offset, (int) bytes, callback);
        } else {
            ByteBufferPool.Sized blocks = new ByteBufferPool.Sized(bufferPool(sendPath.response()), true, blockBytes);
            Obstacle obstacle = sendPath.copiedBy();
            OpenFileChannel channel =
                    new OpenFileChannel(held, offset, false, read -> mount.onCopied(obstacle, read), sendPath::tell);
            Content.copy(channel.source(blocks, bytes), sendPath.sink(), callback);
        }
    }

    private void writeNewer(Content.Sink sink, Callback callback, IOException gone) {
        if (!(sink instanceof Response response) || response.isCommitted()) {
            callback.failed(gone);
            return;
        }
        HttpContent now;
        try {
            now = mount.lookUp().getContent(path);
        } catch (IOException | RuntimeException x) {
            gone.addSuppressed(x);
            callback.failed(gone);
            return;
        }
        if (now == null || now instanceof SendfileContent) {
            LOG.debug("Looked up once more", gone);
            new NewerVersion(this, isAllowed(now, response.getRequest()) ? now : null).writeTo(response, callback);
        } else {
            callback.failed(gone);
        }
    }

    // The context has judged what was found first. Its path may have become a link since. What is contained is judged
    // with each opening.
    private boolean isAllowed(@Nullable HttpContent now, Request request) {
        AliasCheck context = ContextHandler.getContextHandler(request);
        return now == null
                || context == null
                || mount.openFiles().isContained()
                || context.checkAlias(path, now.getResource());
    }

    private static void writeBlock(
            SendPath sendPath, ByteBufferPool pool, OpenFile file, long offset, int bytes, Callback callback) {
        RetainableByteBuffer.Mutable block;
        try {
            block = read(pool, file, offset, bytes);
        } catch (IOException | RuntimeException | OutOfMemoryError x) {
            // The last: no memory outside the heap. Thrown to Jetty's service, it would be logged three times.
            if (x instanceof FileFailedException failed) {
                failed.log(sendPath);
            }
            callback.failed(x);
            return;
        } finally {
            file.release();
        }
        sendPath.lend(block::release, true, block.getByteBuffer(), callback);
    }

    private static RetainableByteBuffer.Mutable read(ByteBufferPool pool, OpenFile file, long offset, int bytes)
            throws IOException {
        RetainableByteBuffer.Mutable block = pool.acquire(bytes, true);
        try {
            ByteBuffer buffer = block.getByteBuffer();
            buffer.clear().limit(bytes);
            file.read(buffer, offset);
            buffer.flip();
            return block;
        } catch (IOException | RuntimeException | Error x) {
            block.release();
            throw x;
        }
    }

    private static ByteBufferPool bufferPool(@Nullable Response response) {
        return response == null
                ? ByteBufferPool.NON_POOLING
                : response.getRequest().getComponents().getByteBufferPool();
    }
}
