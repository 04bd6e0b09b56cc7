package dev.millrace.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;

/** A file whose ranges go into one response: those that are worth it as tokens, where the response's way allows it. */
final class PartsResource extends FileResource {
    private final Response response;
    private final boolean isBypassed;
    private final boolean isHead;
    private SendPath sendPath;
    private boolean isCounted;

    /**
     * @param response what the parts are written to
     * @param isBypassed whether they are in truth written to {@link SendPath#sink}
     */
    PartsResource(FileResource resource, Response response, boolean isBypassed) {
        super(resource);
        this.response = response;
        this.isBypassed = isBypassed;
        this.isHead = HttpMethod.HEAD.is(response.getRequest().getMethod());
    }

    /** What is written is one range after all, which its content counts. */
    void onOneRange() {
        isCounted = true;
    }

    /** Known once the response has its Content-Length. */
    SendPath sendPath() {
        if (sendPath == null) {
            long bytes = response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
            SendPath found = SendPath.of(response, bytes, false);
            sendPath = found.sink() == response || isBypassed ? found : found.wrapped();
            if (sendPath.obstacle() == null && isMappingRefused()) {
                sendPath = sendPath.unmapped();
            }
            if (!isCounted && !isHead) {
                mount().statistics().onAnswer(response, sendPath.obstacle(), getPath(), 0, bytes);
            }
        }
        return sendPath;
    }

    @Override
    public Content.Source newContentSource(ByteBufferPool.Sized pool, long offset, long length) {
        if (isHead) {
            // A part that is not sent need not be read, and one that was announced would count as sent.
            return Content.Source.from(BufferUtil.EMPTY_BUFFER);
        }
        if (sendPath().obstacle() != null || length < mount().settings().getMinTransferBytes()) {
            Obstacle obstacle =
                    sendPath().obstacle() == null ? Obstacle.SMALL : sendPath().obstacle();
            return newContentSource(
                    pool, offset, length, read -> mount().statistics().onCopied(obstacle, read));
        }
        try {
            return new TransferPart(sendPath, acquire(), mount().settings().transferAlgorithm(), offset, length);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
