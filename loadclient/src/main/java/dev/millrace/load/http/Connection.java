package dev.millrace.load.http;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A blocking client connection that carries one exchange at a time. It never retries, never follows a redirect and
 * never hides a failure. It owns its socket until {@link #close()}. It belongs to one thread.
 *
 * <p>No SO_TIMEOUT is set: with one, each read costs the JDK a poll(2) and a second read(2). A caller bounds an
 * exchange by closing the socket from another thread.
 */
public interface Connection extends Closeable {

    /**
     * Sends a call's requests and reads all answers.
     *
     * @param call   requests and check
     * @param timing filled in, also when the exchange fails half-way; the first bytes are those of the first answer
     * @param meter  gets the number of body bytes of each read, on this thread, while the exchange runs
     * @return what is wrong with the first wrong answer, or null when all are right
     * @throws IOException if an answer is missing, or bytes were left over from the call before; the connection is of
     *                     no use then, see {@link Failure#ofExchange}
     */
    @Nullable Failure exchange(Call call, Timing timing, IntConsumer meter) throws IOException;

    /** Whether another exchange may follow on this connection. */
    boolean reusable();

    /** Whether the last call was broken off after {@link Call#stopAfter()} bytes. */
    boolean brokenOff();

    /**
     * Waits, where the protocol lets the server close, until it has. The side that closes first keeps the port in
     * TIME_WAIT. By waiting the client leaves that to the server, whose port is not used up by it.
     */
    void awaitClose() throws IOException;

    /** The TLS handshake; null in clear text. */
    TlsClient.@Nullable Handshake handshake();

    /** Closes the socket. */
    @Override
    void close();
}
