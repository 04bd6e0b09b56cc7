package dev.millrace.files;

import java.io.IOException;
import java.util.List;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.PreCompressedHttpContentFactory;
import org.eclipse.jetty.server.Context;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.jspecify.annotations.Nullable;

/**
 * What Jetty's own servlets find, kept open for a request of several ranges until it has ended. They ask for the file range by range,
 * and tell nobody when their answer ends. Thread-safe.
 */
final class HoldingContentFactory extends PreCompressedHttpContentFactory {
    /** Of the thread that serves it: a look-up is told the path alone, and a context knows its requests. */
    private static final ThreadLocal<Request> SEVERAL_RANGES = new ThreadLocal<>();

    private final SendfileContentFactory files;

    /** Of each context: notes the request of several ranges that a thread serves. */
    static final class Scope implements ContextHandler.ContextScopeListener {
        @Override
        public void enterScope(Context context, @Nullable Request request) {
            if (request != null && Ranges.areSeveral(request.getHeaders())) {
                SEVERAL_RANGES.set(request);
            }
        }

        @Override
        public void exitScope(Context context, @Nullable Request request) {
            if (request != null && Ranges.areSeveral(request.getHeaders())) {
                SEVERAL_RANGES.remove();
            }
        }
    }

    HoldingContentFactory(SendfileContentFactory files, List<CompressedContentFormat> formats) {
        super(files, formats);
        this.files = files;
    }

    @Override
    public @Nullable HttpContent getContent(String path) throws IOException {
        Request request = SEVERAL_RANGES.get();
        return request == null ? super.getContent(path) : files.hold(super::getContent, path, request);
    }
}
