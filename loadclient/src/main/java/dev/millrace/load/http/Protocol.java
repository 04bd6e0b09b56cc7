package dev.millrace.load.http;

import java.util.List;

/** The protocols that connections speak. */
public enum Protocol {
    /** HTTP/1.1 (RFC 9112), in clear text and over TLS. */
    HTTP1("http1", List.of()),
    /** HTTP/2 over TLS, agreed on by ALPN (RFC 9113 section 3.2). */
    H2("h2", List.of("h2")),
    /** HTTP/2 in clear text, by prior knowledge (RFC 9113 section 3.3). */
    H2C("h2c", List.of());

    private final String label;
    private final List<String> offered;

    Protocol(String label, List<String> offered) {
        this.label = label;
        this.offered = offered;
    }

    /** The name on the command line and in reports. */
    public String label() {
        return label;
    }

    /** The protocols that are offered by ALPN; empty for no ALPN. */
    List<String> offered() {
        return offered;
    }

    /** Whether it suits a server's URL. */
    public boolean suits(Target server) {
        return this == HTTP1 || server.secure() == (this == H2);
    }
}
