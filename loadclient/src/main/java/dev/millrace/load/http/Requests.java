package dev.millrace.load.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** Makes the bytes of requests. Stateless. */
public final class Requests {

    private Requests() {
    }

    /**
     * A whole request.
     *
     * @param method    such as GET
     * @param target    URL
     * @param keepAlive false adds {@code Connection: close}
     * @param headers   further fields, {@code Name: value} each; a Host stands in place of the URL's (RFC 9112
     *                  section 3.2: there must be one)
     * @param body      null for none
     */
    public static byte[] of(String method, Target target, boolean keepAlive, List<String> headers, byte[] body) {
        StringBuilder head = new StringBuilder(256)
                .append(method).append(' ').append(target.requestTarget()).append(" HTTP/1.1\r\n");
        if (headers.stream().noneMatch(header -> header.toLowerCase(Locale.ROOT).startsWith("host:"))) {
            head.append("Host: ").append(target.hostField()).append("\r\n");
        }
        if (!keepAlive) {
            head.append("Connection: close\r\n");
        }
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        if (body != null) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        head.append("\r\n");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(head.length() + (body == null ? 0 : body.length));
        bytes.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        if (body != null) {
            bytes.writeBytes(body);
        }
        return bytes.toByteArray();
    }
}
