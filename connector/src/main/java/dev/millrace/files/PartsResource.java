package dev.millrace.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.Resource;
import org.jspecify.annotations.Nullable;

/** A file whose ranges go into one response: those that are worth it as tokens, where the response's way allows it. */
final class PartsResource extends FileResource {
    private final Response response;
    private final boolean isBypassed;
    private final boolean isHead;
    private @Nullable SendPath sendPath;
    private boolean isCounted;

    /**
     * @param resource of a file that is held until the response has ended, so that all parts are of one version
     * @param isBypassed whether the parts are written to {@link SendPath#sink}, and not to the response
     */
    PartsResource(FileResource resource, Response response, boolean isBypassed) {
        super(resource);
        this.response = response;
        this.isBypassed = isBypassed;
        this.isHead = HttpMethod.HEAD.is(response.getRequest().getMethod());
    }

    /** @return a content whose ranges are these */
    HttpContent of(HttpContent content) {
        return new HttpContent.Wrapper(content) {
            @Override
            public Resource getResource() {
                return PartsResource.this;
            }

            // What is written is one range after all, which its content counts.
            @Override
            public void writeTo(Content.Sink sink, long offset, long length, Callback callback) {
                isCounted = true;
                super.writeTo(sink, offset, length, callback);
            }
        };
    }

    /** Known when the first part is asked for. Jetty gives an answer of several ranges no Content-Length: it goes in chunks. */
    SendPath sendPath() {
        SendPath known = sendPath;
        if (known == null) {
            known = newSendPath();
            sendPath = known;
        }
        return known;
    }

    private SendPath newSendPath() {
        long bytes = response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
        SendPath found = SendPath.of(response, bytes, false);
        SendPath path = found.sink() == response || isBypassed ? found : found.wrapped();
        if (path.obstacle() == null && !isHead && isMappingRefused()) {
            path = path.unmapped();
        }
        if (!isCounted && !isHead) {
            mount().onAnswer(response, path.obstacle());
        }
        return path;
    }

    @Override
    public Content.Source newContentSource(ByteBufferPool.Sized pool, long offset, long length) {
        if (isHead) {
            // A part that is not sent need not be read, and one that was announced would count as sent.
            return Content.Source.from(BufferUtil.EMPTY_BUFFER);
        }
        SendPath path = sendPath();
        Obstacle obstacle = path.obstacle();
        if (obstacle != null || length < mount().settings().getMinTransferBytes()) {
            Obstacle counted = obstacle == null ? Obstacle.SMALL : obstacle;
            mount().recordCopy(counted, getPath(), offset, length);
            return newContentSource(pool, offset, length, read -> mount().onCopied(counted, read), path::tell);
        }
        try {
            return new TransferPart(path, acquire(), mount().settings().transferAlgorithm(), offset, length);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
