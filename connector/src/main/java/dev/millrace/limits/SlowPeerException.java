package dev.millrace.limits;

import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * Says to the application that a peer was ended because it was too slow. Unless the application handles it, Jetty answers
 * 408 (RFC 9110 section 15.5.9) where nothing of an answer has left, and logs no stack trace.
 */
public final class SlowPeerException extends IOException implements HttpException {
    private static final long serialVersionUID = 1L;

    /** @param what was too slow: a request's head or content, or its response */
    SlowPeerException(String what) {
        // The cause by which applications, and TransferResult, tell a timeout from a peer that has gone.
        super("peer too slow: " + what, new TimeoutException("peer too slow: " + what));
    }

    @Override
    public int getCode() {
        return HttpStatus.REQUEST_TIMEOUT_408;
    }

    @Override
    public @Nullable String getReason() {
        return getMessage();
    }
}
