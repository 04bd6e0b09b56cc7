package dev.millrace.load.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.apache.hc.core5.http.ConnectionClosedException;

/**
 * One failed exchange: its kind and what was seen. Immutable.
 *
 * @param kind   the kind
 * @param detail one line for people, such as {@code expected 100 UUIDs, got 99}
 */
public record Failure(FailureKind kind, String detail) {

    private static final int MAX_DETAIL = 200;

    /** Keeps the detail to one line of bounded length, because it may quote bytes of the server. */
    public Failure {
        detail = detail.replaceAll("\\p{Cc}+", " ").strip();
        if (detail.length() > MAX_DETAIL) {
            detail = detail.substring(0, MAX_DETAIL) + "...";
        }
        // Half of a pair, which the server sent or the cut left, has no form in UTF-8: the run could not be written.
        detail = detail.replaceAll("\\p{Cs}", "?");
    }

    /** A failure to connect. */
    public static Failure ofConnect(IOException failure) {
        // connect(2) fails with EADDRNOTAVAIL when the range of local ports is used up. The JDK shows it as a
        // BindException or a NoRouteToHostException, depending on its socket implementation.
        String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        if (failure instanceof BindException || message.contains("assign requested address")) {
            return new Failure(FailureKind.PORT_EXHAUSTION, message(failure));
        }
        boolean unreachable = failure instanceof ConnectException
                || failure instanceof NoRouteToHostException
                || failure instanceof SocketTimeoutException;
        return unreachable ? new Failure(FailureKind.CONNECT, message(failure)) : ofExchange(failure);
    }

    /** A failure on a connection that was open. */
    public static Failure ofExchange(IOException failure) {
        FailureKind kind = failure instanceof BadResponseException bad
                ? bad.kind()
                : failure instanceof InterruptedIOException
                        ? FailureKind.TIMEOUT
                        : isReset(failure) ? FailureKind.RESET : isTls(failure) ? FailureKind.TLS : FailureKind.OTHER;
        return new Failure(kind, message(failure));
    }

    /** Whether the peer reset or closed the connection; under TLS the JDK wraps the exception of the socket. */
    private static boolean isReset(IOException failure) {
        return failure instanceof SocketException
                || failure instanceof ConnectionClosedException
                || (failure instanceof SSLException && failure.getCause() instanceof SocketException);
    }

    private static boolean isTls(IOException failure) {
        return failure instanceof SSLException;
    }

    /** The message of an exception; the name of its class if it has none. */
    private static String message(Throwable failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }

    /** The first line of an exception's message that is not empty; the name of its class if it has no message. */
    public static String firstLine(Throwable failure) {
        String message = message(failure);
        return message.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElse(message);
    }
}
