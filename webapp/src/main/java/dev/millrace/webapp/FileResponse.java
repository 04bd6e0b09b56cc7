package dev.millrace.webapp;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Streams a file as the response to a request, which works in any servlet container. Used by one thread. */
final class FileResponse {
    private static final int BLOCK = 1 << 16;

    private final BasicFileAttributes attributes;
    private final String etag;
    private final HttpServletRequest request;

    private FileResponse(BasicFileAttributes attributes, HttpServletRequest request) {
        this.attributes = attributes;
        this.etag = "\"" + Long.toHexString(attributes.lastModifiedTime().toMillis()) + "-"
                + Long.toHexString(attributes.size()) + "\"";
        this.request = request;
    }

    /**
     * Sends the file, a range of it, or the response to a condition (RFC 9110 section 13.2.2). It sets Content-Type
     * unless that is set.
     *
     * @throws IOException when the file cannot be read, becomes shorter, or the client closes the connection
     */
    static void send(Path file, HttpServletRequest request, HttpServletResponse response) throws IOException {
        new FileResponse(Files.readAttributes(file, BasicFileAttributes.class), request).send(file, response);
    }

    /**
     * Sets ETag and Content-Type for a response whose body, ranges and conditions the server handles.
     *
     * @throws IOException when the file cannot be read
     */
    static void describe(Path file, HttpServletRequest request, HttpServletResponse response) throws IOException {
        FileResponse answer = new FileResponse(Files.readAttributes(file, BasicFileAttributes.class), request);
        response.setHeader("ETag", answer.etag);
        answer.setType(file, response);
    }

    private void setType(Path file, HttpServletResponse response) {
        if (response.getContentType() == null) {
            String type =
                    request.getServletContext().getMimeType(file.getFileName().toString());
            response.setContentType(type == null ? "application/octet-stream" : type);
        }
    }

    private void send(Path file, HttpServletResponse response) throws IOException {
        response.setHeader("ETag", etag);
        response.setDateHeader("Last-Modified", attributes.lastModifiedTime().toMillis());
        response.setHeader("Accept-Ranges", "bytes");
        int failed = failedCondition();
        if (failed != 0) {
            response.setStatus(failed);
            return;
        }
        ByteRange range = ByteRange.of(rangeApplies() ? ByteRange.field(request) : null, attributes.size());
        if ((range.length() == 0 && attributes.size() > 0) || range.start() > attributes.size()) {
            // With sendError, containers would drop Content-Range.
            response.setStatus(HttpServletResponse.SC_REQUESTED_RANGE_NOT_SATISFIABLE);
            response.setHeader("Content-Range", "bytes */" + attributes.size());
            response.setContentLength(0);
            return;
        }
        if (range.length() < attributes.size()) {
            response.setStatus(HttpServletResponse.SC_PARTIAL_CONTENT);
            response.setHeader(
                    "Content-Range",
                    "bytes " + range.start() + "-" + (range.start() + range.length() - 1) + "/" + attributes.size());
        }
        setType(file, response);
        response.setContentLengthLong(range.length());
        if (!request.getMethod().equals("HEAD")) {
            copy(file, range, response.getOutputStream());
        }
    }

    /** The status of the first condition that does not hold; 0 if all hold. */
    private int failedCondition() {
        long modified = attributes.lastModifiedTime().toMillis() / 1000 * 1000;
        List<String> match = Collections.list(request.getHeaders("If-Match"));
        // RFC 9110 section 13.1.1: a weak tag matches nothing there.
        if (match.isEmpty() ? isBefore("If-Unmodified-Since", modified) : !holdTag(match, etag)) {
            return HttpServletResponse.SC_PRECONDITION_FAILED;
        }
        List<String> noneMatch = Collections.list(request.getHeaders("If-None-Match"));
        if (!noneMatch.isEmpty()
                ? holdTag(noneMatch, etag) || holdTag(noneMatch, "W/" + etag)
                : date("If-Modified-Since") >= 0 && !isBefore("If-Modified-Since", modified)) {
            return HttpServletResponse.SC_NOT_MODIFIED;
        }
        return 0;
    }

    /**
     * Whether fields of one name, which are one list (RFC 9110 section 5.3), hold this tag, or the star for any tag.
     */
    private static boolean holdTag(List<String> fields, String tag) {
        String all = String.join(",", fields).trim();
        return all.equals("*")
                || Arrays.stream(all.split(",")).map(String::trim).anyMatch(tag::equals);
    }

    private boolean isBefore(String field, long modifiedMillis) {
        long date = date(field);
        return date >= 0 && date < modifiedMillis;
    }

    /** Whether the request may get a range: GET only, and with If-Range only if the client knows this version. */
    private boolean rangeApplies() {
        String condition = request.getHeader("If-Range");
        if (!request.getMethod().equals("GET") || condition == null) {
            return request.getMethod().equals("GET");
        }
        return condition.equals(etag)
                || ByteRange.isForDate(request, attributes.lastModifiedTime().toMillis());
    }

    /** The time of a field in milliseconds since 1970; -1 if there is none that can be read. */
    private long date(String field) {
        try {
            return request.getDateHeader(field);
        } catch (IllegalArgumentException ignored) {
            // RFC 9110 section 13.1.3: a date that cannot be parsed is ignored.
            return -1;
        }
    }

    private static void copy(Path file, ByteRange range, OutputStream out) throws IOException {
        ByteBuffer block = ByteBuffer.wrap(new byte[(int) Math.min(BLOCK, Math.max(1, range.length()))]);
        try (FileChannel channel = FileChannel.open(file)) {
            long position = range.start();
            for (long left = range.length(); left > 0; ) {
                block.clear().limit((int) Math.min(block.capacity(), left));
                int n = channel.read(block, position);
                if (n < 0) {
                    throw new EOFException("file became shorter while it was sent");
                }
                out.write(block.array(), 0, n);
                position += n;
                left -= n;
            }
        }
    }
}
