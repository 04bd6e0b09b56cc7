package dev.millrace.load.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The http or https URL that requests go to. Its host is resolved once, so that name look-ups are not measured.
 *
 * @param uri     the URL; its characters that are not ASCII become percent-encoded UTF-8 (RFC 3987 section 3.1)
 * @param address the address connected to
 */
public record Target(URI uri, InetSocketAddress address) {

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final int CONNECT_MILLIS = 1000;
    /** Names with underscores, as Docker gives them; java.net.URI finds neither host nor port in these. */
    private static final Pattern NAMED = Pattern.compile("([\\w.-]+)(?::(\\d{1,5}))?");

    /** Also in a reference without a scheme, as a whole or as the value of an option. */
    private static final Pattern PASSWORD = Pattern.compile("(?i)((?:https?:|(?<![^\\s=]))//[^\\s/@:]*):[^\\s/@]*@");

    /** Request fields with secrets, on a command line: up to the next option or URL. */
    private static final Pattern SECRET = Pattern.compile(
            "(?i)(\\b(?:(?:proxy-)?authorization|cookie)|(?<!\\S)(?:-H|--header)[= ]?[!#-'*+.^_`|~0-9a-z-]+):"
                    + "(?:(?!\\s--?[a-z]|\\shttps?://).)*");

    /** Encodes the URL. */
    public Target {
        uri = URI.create(uri.toASCIIString());
    }

    /**
     * Reads an absolute {@code http:} or {@code https:} URL and resolves its host. Of several addresses it takes the
     * first that accepts a connection, or the first if none does. A server often listens on one of those of {@code
     * localhost}.
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
        boolean secure = "https".equalsIgnoreCase(uri.getScheme());
        if ((!secure && !"http".equalsIgnoreCase(uri.getScheme())) || hostOf(uri) == null) {
            throw new IllegalArgumentException("not a URL of the form http[s]://host[:port]/path: " + url);
        }
        String host = bareHost(uri);
        try {
            int port = portOf(uri, secure ? HTTPS_PORT : HTTP_PORT);
            return new Target(uri, addressOf(host, port));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("unknown host: " + host, e);
        }
    }

    private static InetSocketAddress addressOf(String host, int port) throws UnknownHostException {
        InetAddress[] all = InetAddress.getAllByName(host);
        for (int i = 0; all.length > 1 && i < all.length; i++) {
            InetSocketAddress address = new InetSocketAddress(all[i], port);
            if (accepts(address, CONNECT_MILLIS)) {
                return address;
            }
        }
        return new InetSocketAddress(all[0], port);
    }

    /** Whether an address accepts connections. */
    public static boolean accepts(InetSocketAddress address, int millis) {
        try (Socket socket = new Socket()) {
            socket.connect(address, millis);
            // A connect from a port to itself succeeds without a listener (RFC 9293 section 3.5, simultaneous open).
            return socket.getLocalPort() != address.getPort();
        } catch (IOException ignored) {
            // The connect was refused or timed out.
            return false;
        }
    }

    private static @Nullable String hostOf(URI uri) {
        if (uri.getHost() != null || uri.getRawAuthority() == null) {
            return uri.getHost();
        }
        Matcher named = NAMED.matcher(hostField(uri));
        return named.matches() ? named.group(1) : null;
    }

    private static int portOf(URI uri, int usual) {
        if (uri.getHost() != null) {
            return uri.getPort() >= 0 ? uri.getPort() : usual;
        }
        Matcher named = NAMED.matcher(hostField(uri));
        return named.matches() && named.group(2) != null ? Integer.parseInt(named.group(2)) : usual;
    }

    private static String bareHost(URI uri) {
        String host = Objects.requireNonNull(hostOf(uri), "a URL without a host");
        // RFC 6874 section 2: in a URL the sign before a zone is %25. The JDK and people write % too.
        return host.startsWith("[") ? host.substring(1, host.length() - 1).replaceFirst("%25(?=.)", "%") : host;
    }

    /** A text in which passwords of URLs and secret request fields are hidden, because reports are shown to others. */
    public static String withoutPasswords(String text) {
        return SECRET.matcher(PASSWORD.matcher(text).replaceAll("$1:***@")).replaceAll("$1: ***");
    }

    /** The host's name or address, without the brackets of an IPv6 address. */
    public String host() {
        return bareHost(uri);
    }

    /** Whether connections are TLS. */
    public boolean secure() {
        return "https".equalsIgnoreCase(uri.getScheme());
    }

    /** Whether both URLs are on one server: same scheme, same host and port. */
    public boolean isOn(Target other) {
        String host = hostOf(uri);
        String others = hostOf(other.uri);
        return host != null
                && others != null
                && withoutZone(host).equalsIgnoreCase(withoutZone(others))
                && uri.getScheme().equalsIgnoreCase(other.uri.getScheme())
                && port() == other.port();
    }

    private int port() {
        return portOf(uri, secure() ? HTTPS_PORT : HTTP_PORT);
    }

    /**
     * Another URL, by a reference that is relative to this one (RFC 3986 section 5.2). It has the same address, so that
     * a caller checks by {@link #isOn} whether it is on the same server.
     *
     * @throws IllegalArgumentException if the reference is no URL, or names no server; the message is for people
     */
    public Target resolve(String relative) {
        // java.net.URI takes the last segment away from the path that a query alone belongs to (RFC 3986 section
        // 5.2.2).
        URI other = uri.resolve(relative.startsWith("?") ? uri.getRawPath() + relative : relative);
        if (other.getRawAuthority() == null) {
            throw new IllegalArgumentException("it names no server");
        }
        return new Target(other, address);
    }

    /**
     * Value of the Host field: host and port, without user information (RFC 9112 section 3.2). The zone of an IPv6
     * address is this machine's alone (RFC 6874 section 1), and is left out.
     */
    public String hostField() {
        return hostField(uri);
    }

    private static String hostField(URI uri) {
        String authority = uri.getRawAuthority();
        return withoutZone(authority.substring(authority.lastIndexOf('@') + 1));
    }

    private static String withoutZone(String host) {
        return host.replaceFirst("%[^\\]]*]", "]");
    }

    /** Path and query for the request line (RFC 9112 section 3.2.1). */
    public String requestTarget() {
        String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }
}
