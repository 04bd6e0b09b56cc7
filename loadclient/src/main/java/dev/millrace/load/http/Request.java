package dev.millrace.load.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.message.BasicHeader;
import org.jspecify.annotations.Nullable;

/**
 * One request, whose bytes are made once and sent as often as wanted. Immutable, if the caller does not change the
 * body. Safe for use by any thread.
 */
public final class Request {

    /** RFC 9110 section 9.3.2: an answer to it has no body, whatever its fields announce. */
    private static final String HEAD = "HEAD";
    /** Without content they announce a length of 0 (RFC 9110 section 8.6): some servers want one. */
    private static final Set<String> WITH_CONTENT = Set.of("POST", "PUT", "PATCH");

    private final String method;
    private final Target target;
    private final boolean keepAlive;
    private final List<String> headers;
    private final byte @Nullable [] body;
    /** The whole request in HTTP/1.1. */
    private final byte[] bytes;
    /** The fields of HTTP/2, made when they are first wanted. Threads that make them at once make the same. */
    private volatile @Nullable List<Header> fields;

    /**
     * A request.
     *
     * @param method    such as GET
     * @param target    URL
     * @param keepAlive false adds {@code Connection: close}
     * @param headers   further fields, {@code Name: value} each; a Host among them replaces the URL's, because RFC 9112
     *                  section 3.2 allows one only
     * @param body      null for none
     */
    public Request(String method, Target target, boolean keepAlive, List<String> headers, byte @Nullable [] body) {
        this.method = method;
        this.target = target;
        this.keepAlive = keepAlive;
        this.headers = withUser(target, headers);
        this.body = body;
        this.bytes = bytes();
    }

    /** Adds the user and the password of the URL (RFC 7617), unless the fields have others. */
    private static List<String> withUser(Target target, List<String> headers) {
        String user = target.uri().getUserInfo();
        if (user == null || headers.stream().anyMatch(header -> isNamed(header, "authorization"))) {
            return List.copyOf(headers);
        }
        String pair = user.contains(":") ? user : user + ":";
        String coded = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        List<String> all = new ArrayList<>(headers);
        all.add("Authorization: Basic " + coded);
        return List.copyOf(all);
    }

    private Request(Request one, byte[] bytes) {
        this.method = one.method;
        this.target = one.target;
        this.keepAlive = one.keepAlive;
        this.headers = one.headers;
        this.body = one.body;
        this.bytes = bytes;
    }

    /** This request as so many requests at once in HTTP/1.1 (RFC 9112 section 9.3.2). In HTTP/2 it stays one. */
    public Request pipelined(int times) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(bytes.length * times);
        for (int i = 0; i < times; i++) {
            all.writeBytes(bytes);
        }
        return new Request(this, all.toByteArray());
    }

    private byte[] bytes() {
        StringBuilder head = new StringBuilder(256)
                .append(method)
                .append(' ')
                .append(target.requestTarget())
                .append(" HTTP/1.1\r\n");
        if (headers.stream().noneMatch(header -> isNamed(header, "host"))) {
            head.append("Host: ").append(target.hostField()).append("\r\n");
        }
        if (!keepAlive) {
            head.append("Connection: close\r\n");
        }
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        if (hasLength()) {
            head.append("Content-Length: ").append(length()).append("\r\n");
        }
        head.append("\r\n");
        ByteArrayOutputStream all = new ByteArrayOutputStream(head.length() + length());
        all.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        if (body != null) {
            all.writeBytes(body);
        }
        return all.toByteArray();
    }

    private boolean hasLength() {
        return body != null || WITH_CONTENT.contains(method);
    }

    private int length() {
        return body == null ? 0 : body.length;
    }

    /** Whether a header line is of a field, whose name is in lower case. */
    static boolean isNamed(String header, String name) {
        return header.toLowerCase(Locale.ROOT).startsWith(name + ":");
    }

    /** The URL. */
    public Target target() {
        return target;
    }

    /** Whether an answer to it has no body. */
    boolean isHead() {
        return method.equals(HEAD);
    }

    /** The body; null for none. */
    byte @Nullable [] body() {
        return body;
    }

    /** The fields of HTTP/2 (RFC 9113 section 8.3.1). */
    List<Header> http2() {
        List<Header> made = fields;
        if (made == null) {
            made = fields();
            fields = made;
        }
        return made;
    }

    private List<Header> fields() {
        String authority = target.hostField();
        List<Header> others = new ArrayList<>();
        for (String header : headers) {
            int colon = header.indexOf(':');
            String name = header.substring(0, colon).toLowerCase(Locale.ROOT);
            String value = header.substring(colon + 1).strip();
            if (name.equals("host")) {
                authority = value;
            } else if (!name.equals("connection")) {
                others.add(new BasicHeader(name, value));
            }
        }
        if (hasLength()) {
            others.add(new BasicHeader("content-length", length()));
        }
        List<Header> all = new ArrayList<>();
        all.add(new BasicHeader(":method", method));
        all.add(new BasicHeader(":scheme", target.uri().getScheme().toLowerCase(Locale.ROOT)));
        all.add(new BasicHeader(":authority", authority));
        all.add(new BasicHeader(":path", target.requestTarget()));
        all.addAll(others);
        return List.copyOf(all);
    }

    /** The bytes of HTTP/1.1; they must not be changed. */
    byte[] http1() {
        return bytes;
    }
}
