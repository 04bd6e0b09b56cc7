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
    private final SendfileContentFactory factory;
    private final Response response;
    private final boolean isBypassed;
    private final boolean isHead;
    private Route route;
    private boolean isCounted;

    /**
     * @param response what the parts are written to
     * @param isBypassed whether they are in truth written to the sink of {@link #route}
     */
    PartsResource(FileResource resource, SendfileContentFactory factory, Response response, boolean isBypassed) {
        super(resource);
        this.factory = factory;
        this.response = response;
        this.isBypassed = isBypassed;
        this.isHead = HttpMethod.HEAD.is(response.getRequest().getMethod());
    }

    /** What is written is one range after all, and counted by who writes it. */
    void onOneRange() {
        isCounted = true;
    }

    /** Known once the response has its Content-Length. */
    Route route() {
        if (route == null) {
            long bytes = response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
            Route found = Route.of(response, bytes, false);
            route = found.sink() == response || isBypassed ? found : new Route(null, response, Obstacle.WRAPPED);
            if (route.obstacle() == null && isMappingRefused()) {
                route = route.unmapped();
            }
            if (!isCounted && !isHead) {
                factory.onRoute(response, route, getPath(), 0, bytes);
            }
        }
        return route;
    }

    @Override
    public Content.Source newContentSource(ByteBufferPool.Sized pool, long offset, long length) {
        if (isHead) {
            // A part that nobody is sent need not be read, and one that was announced would count as sent.
            return Content.Source.from(BufferUtil.EMPTY_BUFFER);
        }
        if (route().obstacle() != null || length < factory.getMinTransferBytes()) {
            return super.newContentSource(pool, offset, length);
        }
        try {
            return new TransferPart(route.endPoint(), acquire(), factory.transferAlgorithm(), offset, length);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
