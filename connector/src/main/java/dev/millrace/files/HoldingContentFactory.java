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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Jetty's own servlets find, kept open for a request of several ranges until it has ended. They ask for the file range by range,
 * and tell nobody when their answer ends. Thread-safe.
 */
final class HoldingContentFactory extends PreCompressedHttpContentFactory {
    private static final Logger LOG = LoggerFactory.getLogger(HoldingContentFactory.class);
    /** What the current thread serves. A look-up is told the path alone, but a context is told of its requests. */
    private static final ThreadLocal<@Nullable Served> SEVERAL_RANGES = new ThreadLocal<>();

    /** Keeps nothing: one for all contexts, also after they have left the server. */
    static final Scope SCOPE = new Scope();

    private final SendfileContentFactory files;

    /**
     * A request in a context.
     *
     * @param outer in a context around that one, or in which it was dispatched; null for none
     */
    private record Served(Request request, @Nullable Served outer) {}

    /** A listener of each context. It notes the request of several ranges that a thread serves. */
    static final class Scope implements ContextHandler.ContextScopeListener {
        @Override
        public void enterScope(Context context, @Nullable Request request) {
            if (request != null && Ranges.areSeveral(request.getHeaders())) {
                SEVERAL_RANGES.set(new Served(request, SEVERAL_RANGES.get()));
            }
        }

        @Override
        public void exitScope(Context context, @Nullable Request request) {
            Served served = SEVERAL_RANGES.get();
            if (request != null && served != null && Ranges.areSeveral(request.getHeaders())) {
                if (served.outer == null) {
                    SEVERAL_RANGES.remove();
                } else {
                    SEVERAL_RANGES.set(served.outer);
                }
            }
        }
    }

    HoldingContentFactory(SendfileContentFactory files, List<CompressedContentFormat> formats) {
        super(files, formats);
        this.files = files;
    }

    @Override
    public @Nullable HttpContent getContent(String path) throws IOException {
        Served served = SEVERAL_RANGES.get();
        if (served == null) {
            return super.getContent(path);
        }
        try {
            return files.hold(super::getContent, path, served.request);
        } catch (IllegalStateException ended) {
            // Jetty's contexts of servlets drop a listener that came after their start when they stop: it is not told
            // that the thread has left.
            LOG.debug("No longer serving {}", served, ended);
            SEVERAL_RANGES.remove();
            return super.getContent(path);
        }
    }
}
