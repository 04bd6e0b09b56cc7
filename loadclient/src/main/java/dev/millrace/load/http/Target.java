package dev.millrace.load.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;

/**
 * Where the requests go: an http URL, resolved once, so that name look-ups are not measured.
 *
 * @param uri     the URL as given
 * @param address the address connected to
 */
public record Target(URI uri, InetSocketAddress address) {

    private static final int DEFAULT_PORT = 80;

    /**
     * Reads an absolute {@code http:} URL and resolves its host.
     *
     * @throws IllegalArgumentException if it is no such URL, or the host is unknown
     */
    public static Target of(String url) {
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("not a URL: " + url, e);
        }
        if (!"http".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null) {
            throw new IllegalArgumentException("not a URL of the form http://host[:port]/path: " + url);
        }
        String host = uri.getHost();
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        try {
            int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
            return new Target(uri, new InetSocketAddress(InetAddress.getByName(bare), port));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("unknown host: " + host, e);
        }
    }

    /** The same server, another URL on it. */
    public Target resolve(String relative) {
        return new Target(uri.resolve(relative), address);
    }

    /** Value of the Host field: host and port, without a user's name (RFC 9112 section 3.2). */
    public String hostField() {
        String authority = uri.getRawAuthority();
        return authority.substring(authority.lastIndexOf('@') + 1);
    }

    /** The path and query as they stand in the request line (RFC 9112 section 3.2.1). */
    public String requestTarget() {
        String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }
}
