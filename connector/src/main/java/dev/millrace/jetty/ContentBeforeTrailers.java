package dev.millrace.jetty;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * A stream of HTTP/2 that sends the trailers of an answer behind all of its content (RFC 9113 section 8.1). Jetty 12.1.12 sends them
 * behind the first frame of an answer of one write that takes more than a frame, or than the windows have.
 */
public class ContentBeforeTrailers extends HttpStream.Wrapper {
    protected ContentBeforeTrailers(HttpStream stream) {
        super(stream);
    }

    // Of a write behind the first one Jetty sends the trailers when its content has gone.
    @Override
    public void send(
            MetaData.Request request,
            MetaData.@Nullable Response response,
            boolean last,
            @Nullable ByteBuffer content,
            Callback callback) {
        if (last
                && response != null
                && response.getTrailersSupplier() != null
                && BufferUtil.hasContent(content)
                && !HttpMethod.HEAD.is(request.getMethod())) {
            super.send(request, response, false, content, new Callback.Nested(callback) {
                @Override
                public void succeeded() {
                    getWrapped().send(request, null, true, null, getCallback());
                }
            });
        } else {
            super.send(request, response, last, content, callback);
        }
    }
}
