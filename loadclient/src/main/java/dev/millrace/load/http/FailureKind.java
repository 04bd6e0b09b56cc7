package dev.millrace.load.http;

/** The kinds of failure that a measurement tells apart. */
public enum FailureKind {
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
    /** The bytes of the answer are not HTTP. */
    MALFORMED("malformed answer"),
    /** The server reset the stream of an exchange (RFC 9113 section 6.4). */
    STREAM_RESET("stream reset"),
    /** The server refused the stream of an exchange, without having begun it (RFC 9113 section 8.7). */
    REFUSED("refused stream"),
    /** The server said GOAWAY, and left a request of that connection undone (RFC 9113 section 6.8). */
    GOAWAY("goaway"),
    /** TLS failed: a handshake, a certificate, or a record. */
    TLS("tls"),
    /** No local port was left to connect from (EADDRNOTAVAIL): the client's limit, not the server's. */
    PORT_EXHAUSTION("port exhaustion"),
    /** Any other failure; the detail names it. */
    OTHER("other");

    private final String label;

    FailureKind(String label) {
        this.label = label;
    }

    /** The name shown to people and written to reports. */
    public String label() {
        return label;
    }
}
