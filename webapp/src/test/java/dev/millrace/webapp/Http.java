package dev.millrace.webapp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A client that sends a request exactly as written, and returns the bytes of the response. */
final class Http {
    private static final int TIMEOUT_MILLIS = 30_000;

    /** A response, with header names in lower case. */
    record Answer(int status, Map<String, String> headers, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        String header(String name) {
            return headers.get(name.toLowerCase(Locale.ROOT));
        }

        String md5() {
            try {
                return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(body));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private Http() {}

    static Answer get(String server, String target, String... fields) throws IOException {
        return send(server, "GET", target, "", fields);
    }

    /** Sends one request on a connection of its own. Fields are whole lines such as {@code Range: bytes=0-1}. */
    static Answer send(String server, String method, String target, String body, String... fields) throws IOException {
        URI uri = URI.create(server);
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            byte[] content = body.getBytes(StandardCharsets.UTF_8);
            List<String> lines = new ArrayList<>(
                    List.of(method + " " + target + " HTTP/1.1", "Host: " + uri.getAuthority(), "Connection: close"));
            lines.addAll(List.of(fields));
            if (content.length > 0) {
                lines.add("Content-Length: " + content.length);
            }
            OutputStream out = socket.getOutputStream();
            out.write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            out.write(content);
            out.flush();
            return read(socket.getInputStream(), method);
        }
    }

    private static Answer read(InputStream in, String method) throws IOException {
        int status = Integer.parseInt(line(in).split(" ")[1]);
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.merge(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).trim(),
                    (first, second) -> first + ", " + second);
        }
        byte[] body = in.readAllBytes();
        String length = headers.get("content-length");
        if (length != null && !method.equals("HEAD") && status != 304 && Long.parseLong(length) != body.length) {
            throw new IOException("Content-Length " + length + " but " + body.length + " bytes");
        }
        return new Answer(status, headers, body);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("connection closed within the header: " + line);
            }
            line.append((char) c);
        }
        return line.toString().stripTrailing();
    }

    /** Of a stream of each server. All are open before the first is read, for the second event takes its time. */
    static List<String> firstTwoEvents(List<String> servers, String target) throws IOException {
        List<Events> streams = new ArrayList<>();
        List<String> events = new ArrayList<>();
        try {
            for (String server : servers) {
                streams.add(new Events(server, target));
            }
            for (Events stream : streams) {
                events.add(stream.next());
                events.add(stream.next());
            }
        } finally {
            for (Events stream : streams) {
                stream.close();
            }
        }
        return events;
    }

    /** A stream of server-sent events. */
    static final class Events implements AutoCloseable {
        private final Socket socket;

        Events(String server, String target) throws IOException {
            URI uri = URI.create(server);
            socket = new Socket(uri.getHost(), uri.getPort());
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream()
                    .write(("GET " + target + " HTTP/1.1\r\nHost: " + uri.getAuthority()
                                    + "\r\nAccept: text/event-stream\r\n\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
        }

        /** Waits for the data of the next event. */
        String next() throws IOException {
            String line = line(socket.getInputStream());
            while (!line.startsWith("data: ")) {
                line = line(socket.getInputStream());
            }
            return line.substring("data: ".length());
        }

        /** Waits for the last chunk, which ends the stream regularly. */
        void end() throws IOException {
            String line = line(socket.getInputStream());
            while (!line.equals("0")) {
                line = line(socket.getInputStream());
            }
        }

        boolean isSilentFor(int millis) throws IOException {
            socket.setSoTimeout(millis);
            try {
                line(socket.getInputStream());
                return false;
            } catch (SocketTimeoutException expected) {
                return true;
            } finally {
                socket.setSoTimeout(TIMEOUT_MILLIS);
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
