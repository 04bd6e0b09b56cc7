package dev.millrace.jetty;

import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpFields;
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
    // Guarded by Jetty's channel, which has one write at a time. What the application has thrown in place of trailers.
    private @Nullable Throwable refusal;

    /** @param stream what sends the answer */
    protected ContentBeforeTrailers(HttpStream stream) {
        super(stream);
    }

    @Override
    public void send(
            MetaData.Request request,
            MetaData.@Nullable Response response,
            boolean last,
            @Nullable ByteBuffer content,
            Callback callback) {
        if (response == null && refusal != null && !isCommitted()) {
            // Jetty's channel takes the head for sent. That of the error is not.
            callback.failed(refusal);
        } else if (last
                && response != null
                && response.getTrailersSupplier() != null
                && BufferUtil.hasContent(content)
                && !HttpMethod.HEAD.is(request.getMethod())) {
            sendWithTrailers(request, response, content, response.getTrailersSupplier(), callback);
        } else {
            super.send(request, response, last, content, callback);
        }
    }

    private void sendWithTrailers(
            MetaData.Request request,
            MetaData.Response response,
            @Nullable ByteBuffer content,
            Supplier<HttpFields> supplier,
            Callback callback) {
        HttpFields trailers;
        try {
            // Asked in the thread that writes, as Jetty does. The session's flusher would not outlive what is thrown.
            trailers = supplier.get();
        } catch (Throwable x) {
            // Nothing has been sent: the request can still be answered with an error.
            refusal = x;
            callback.failed(x);
            return;
        }
        MetaData.Response told = new MetaData.Response(
                response.getStatus(),
                response.getReason(),
                response.getHttpVersion(),
                response.getHttpFields(),
                response.getContentLength(),
                () -> trailers);
        if (trailers == null || trailers.size() == 0) {
            super.send(request, told, true, content, callback);
        } else {
            super.send(request, told, false, content, new Trailers(request, callback));
        }
    }

    /** Splits the write: of a second one Jetty sends the trailers when the content has gone. */
    private final class Trailers extends Callback.Nested {
        private final MetaData.Request request;

        private Trailers(MetaData.Request request, Callback callback) {
            super(callback);
            this.request = request;
        }

        @Override
        public void succeeded() {
            try {
                getWrapped().send(request, null, true, null, getCallback());
            } catch (Throwable x) {
                // This may be the session's flusher, which would stop for good.
                getCallback().failed(x);
            }
        }
    }
}
