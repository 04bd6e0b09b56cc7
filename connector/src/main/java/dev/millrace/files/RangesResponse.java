package dev.millrace.files;

import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferEndPoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.Resource;

/**
 * A response of several ranges: Jetty writes part after part to it, and a part that is worth it is a token, which is
 * announced when it comes by. Holds a count of the file for all parts, given back when the response's callback is
 * completed.
 */
final class RangesResponse extends PassiveResponse {
    private final SendfileContentFactory factory;
    private final OpenFile file;
    private Route route;
    private FileRegion next;

    RangesResponse(Request request, Response wrapped, SendfileContentFactory factory, OpenFile file) {
        super(request, wrapped);
        this.factory = factory;
        this.file = file;
    }

    /** The content whose parts come from here. */
    HttpContent content(HttpContent content, FileResource resource) {
        Resource parts = new PartsResource(resource);
        return new HttpContent.Wrapper(content) {
            @Override
            public Resource getResource() {
                return parts;
            }
        };
    }

    private final class PartsResource extends FileResource {
        private PartsResource(FileResource resource) {
            super(resource);
        }

        @Override
        public Content.Source newContentSource(ByteBufferPool.Sized pool, long offset, long length) {
            if (route().obstacle() == null && length >= factory.getMinTransferBytes()) {
                return new Part(offset, length);
            }
            file.retain();
            return Content.Source.from(pool, new OpenFileChannel(file), offset, length);
        }
    }

    private Route route() {
        if (route == null) {
            route = Route.of(getWrapped(), getHeaders().getLongField(HttpHeader.CONTENT_LENGTH), false);
            factory.onRoute(this, route);
        }
        return route;
    }

    @Override
    public void write(boolean last, ByteBuffer bytes, Callback callback) {
        // Before the first part; an answer that has no parts is none of our business.
        Content.Sink sink = getStatus() == HttpStatus.PARTIAL_CONTENT_206 ? route().sink() : getWrapped();
        FileRegion region = next;
        if (region == null || region.token() != bytes) {
            sink.write(last, bytes, callback);
            return;
        }
        next = null;
        TransferEndPoint endPoint = route.endPoint();
        endPoint.announce(region);
        sink.write(last, bytes, Callback.from(endPoint::withdraw, callback));
    }

    /** A part as tokens. */
    private final class Part implements Content.Source {
        private final long length;
        private long position;
        private long left;
        private Content.Chunk failure;

        private Part(long offset, long length) {
            this.length = length;
            this.position = offset;
            this.left = length;
        }

        @Override
        public long getLength() {
            return length;
        }

        @Override
        public Content.Chunk read() {
            if (failure != null) {
                return failure;
            }
            if (left == 0) {
                return Content.Chunk.EOF;
            }
            try {
                ByteBuffer token = file.token(position, left);
                next = new FileRegion(file.channel(), position, token);
                position += token.remaining();
                left -= token.remaining();
                return Content.Chunk.from(token, left == 0);
            } catch (IOException x) {
                throw new UncheckedIOException(x);
            }
        }

        @Override
        public void demand(Runnable ready) {
            ready.run();
        }

        @Override
        public void fail(Throwable cause) {
            failure = Content.Chunk.from(cause, true);
        }
    }
}
