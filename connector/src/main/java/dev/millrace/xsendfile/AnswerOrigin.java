package dev.millrace.xsendfile;

import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.jspecify.annotations.Nullable;

/**
 * Where an answer comes from: the first context that was entered and did not decline. Also whether a proxy has fetched
 * it from another server. Thread-safe.
 */
final class AnswerOrigin {
    /** How many contexts are entered, one from within the other: by a dispatch, or by a callback of the same one. */
    private final AtomicInteger depth = new AtomicInteger();

    /** What handles the request; null when that has returned. */
    private volatile @Nullable Thread handling = Thread.currentThread();

    private volatile @Nullable ContextHandler context;
    private volatile boolean proxied;

    /** @param proxied whether it counts as fetched by a proxy, because that cannot be told */
    AnswerOrigin(boolean proxied) {
        this.proxied = proxied;
    }

    void enter(ContextHandler entered) {
        if (depth.getAndIncrement() == 0) {
            context = entered;
        }
    }

    void exit() {
        depth.decrementAndGet();
    }

    /** Called when the handler has returned: what answers from now on may be of the context that was entered. */
    void handled() {
        handling = null;
    }

    /** @return null when there is none */
    @Nullable ContextHandler context() {
        return hasDeclined() ? null : context;
    }

    // What answers while it handles the request, and is in no context, comes behind the contexts that were entered.
    private boolean hasDeclined() {
        return Thread.currentThread() == handling && depth.get() == 0;
    }

    void setProxied() {
        if (hasDeclined()) {
            // The answer comes by another thread.
            context = null;
        }
        proxied = true;
    }

    boolean isProxied() {
        return proxied;
    }
}
