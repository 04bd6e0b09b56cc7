package dev.millrace.files;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.Resource;

/** A response of several ranges, written past a compression: ranges are of the bytes as they are. */
final class RangesResponse extends FileResponse {
    private final PartsResource parts;

    RangesResponse(Request request, Response wrapped, FileResource resource) {
        super(request, wrapped);
        this.parts = new PartsResource(resource, wrapped, true);
    }

    /** The content whose parts are for this response. */
    HttpContent content(HttpContent content) {
        return of(content, parts);
    }

    static HttpContent of(HttpContent content, PartsResource parts) {
        return new HttpContent.Wrapper(content) {
            @Override
            public Resource getResource() {
                return parts;
            }

            @Override
            public void writeTo(Content.Sink sink, long offset, long length, Callback callback) {
                parts.onOneRange();
                super.writeTo(sink, offset, length, callback);
            }
        };
    }

    @Override
    public void write(boolean last, ByteBuffer bytes, Callback callback) {
        // Known before the first part. An answer without parts, of an error for example, goes its usual way.
        Content.Sink sink =
                getStatus() == HttpStatus.PARTIAL_CONTENT_206 ? parts.sendPath().sink() : getWrapped();
        sink.write(last, bytes, callback);
    }
}
