package dev.millrace.jetty;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * A stream of HTTP/2 that sends the trailers of an answer behind all of its content (RFC 9113 section 8.1). Of an answer of one write
 * that needs several frames, or more than the windows have, Jetty 12.1.12 sends the trailers behind the first frame.
 */
public class ContentBeforeTrailers extends HttpStream.Wrapper {
    /** @param stream what sends the answer */
    protected ContentBeforeTrailers(HttpStream stream) {
        super(stream);
    }

    // Splits the write: of a second one Jetty sends the trailers when the content has gone.
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
