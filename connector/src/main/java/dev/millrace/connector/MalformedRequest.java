package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a malformed request. Jetty's connection has it answered by another thread than the one that found it so. A third
 * thread then reads on, only to close, into the buffer that the first is about to give back. By then it may be another connection's, which
 * would go on with bytes of this one (Jetty's HttpConnection, 12.1.12).
 */
final class MalformedRequest {
    private static final long MAX_LEAVING_MILLIS = 100;

    private MalformedRequest() {}

    /** Whether a connection that has answered a malformed request reads no more. The protocol that follows an upgrade does. */
    static boolean endsReading(@Nullable Connection connection) {
        return JettyInternals.parserOf(connection) != null;
    }

    /**
     * Lets the thread that has found a request malformed leave the connection, before the current one answers it.
     *
     * @param handlingThread the thread that runs the connection's code, if any
     */
    static void awaitFinder(Supplier<@Nullable Thread> handlingThread) {
        Thread finder = handlingThread.get();
        if (finder == null || finder == Thread.currentThread()) {
            return;
        }
        // It does no more than to give the buffer back; but inside TLS it may need the lock that this thread holds.
        long begin = NanoTime.now();
        while (handlingThread.get() == finder && NanoTime.millisSince(begin) < MAX_LEAVING_MILLIS) {
            Thread.yield();
        }
    }

    /**
     * Lets the thread that has found the end of a closed connection leave it, before the current one finds the same. Jetty fails the request
     * that had begun, and has the connection run by another thread; both would give back the one buffer.
     *
     * @param reader the connection that asks for bytes; TLS itself does not wait here, for it holds its lock
     * @return -1, as the answer to it
     */
    static int endOfInput(MillraceEndPoint closed, @Nullable Connection reader) {
        HttpParser parser = JettyInternals.parserOf(reader);
        // Content may be read by another thread than the handler's, which may stay for long.
        if (parser != null && !parser.inContentState()) {
            awaitFinder(closed::handlingThread);
        }
        return -1;
    }
}
