package dev.millrace.load.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Locale;

/** The kinds of error that a measurement tells apart. Immutable. */
public enum Fault {
    /** The connection could not be made: refused, unreachable, or not within the time allowed. */
    CONNECT("connect"),
    /** The answer was not complete within the time allowed. */
    TIMEOUT("timeout"),
    /** The peer closed the connection before the first byte of the answer, or reset it at any time. */
    RESET("reset"),
    /** The connection ended inside the body. */
    SHORT_BODY("short body"),
    /** The body has the right length and the wrong bytes. */
    WRONG_DIGEST("wrong digest"),
    /** A header field is missing or has another value than announced. */
    WRONG_HEADER("wrong header"),
    /** The body is not what was asked for: root element, number of UUIDs, surplus bytes. */
    WRONG_CONTENT("wrong content"),
    /** The status is not the expected one. */
    STATUS("status"),
    /** What came is not HTTP/1.x. */
    MALFORMED("malformed answer"),
    /** No local port was left to connect from (EADDRNOTAVAIL): the client's limit, not the server's. */
    PORT_EXHAUSTION("port exhaustion"),
    /** Anything else; the message says what. */
    OTHER("other");

    private final String label;

    Fault(String label) {
        this.label = label;
    }

    /** The name shown to people and written to reports. */
    public String label() {
        return label;
    }

    /** The kind of a failure to connect. */
    public static Fault ofConnect(IOException failure) {
        // connect(2) fails with EADDRNOTAVAIL when the range of local ports is used up; the JDK shows it as a
        // BindException or a NoRouteToHostException depending on its socket implementation.
        String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        if (failure instanceof BindException || message.contains("assign requested address")) {
            return PORT_EXHAUSTION;
        }
        if (failure instanceof ConnectException || failure instanceof NoRouteToHostException
                || failure instanceof SocketTimeoutException) {
            return CONNECT;
        }
        return OTHER;
    }

    /** The kind of a failure on a connection that was open. */
    public static Fault ofExchange(IOException failure) {
        if (failure instanceof InterruptedIOException) {
            return TIMEOUT;
        }
        if (failure instanceof BadAnswerException bad) {
            return bad.fault();
        }
        return failure instanceof SocketException ? RESET : OTHER;
    }
}
