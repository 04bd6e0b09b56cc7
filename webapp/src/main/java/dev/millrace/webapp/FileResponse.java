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

/** Answers a request with a file, by streaming it: what any servlet container can do. */
final class FileResponse {
    private static final int BLOCK = 1 << 16;

    private final BasicFileAttributes attributes;
    private final String etag;
    private final HttpServletRequest request;

    private FileResponse(BasicFileAttributes attributes, HttpServletRequest request) {
        this.attributes = attributes;
        this.etag = "\"" + Long.toHexString(attributes.lastModifiedTime().toMillis())
            + "-" + Long.toHexString(attributes.size()) + "\"";
        this.request = request;
    }

    /**
     * Sends the file, a range of it, or the answer to a condition (RFC 9110, 13.2.2). Content-Type is set unless it
     * is already there.
     *
     * @throws IOException when the file cannot be read, shrinks meanwhile, or the client goes away
     */
    static void send(Path file, HttpServletRequest request, HttpServletResponse response) throws IOException {
        new FileResponse(Files.readAttributes(file, BasicFileAttributes.class), request).send(file, response);
    }

    /**
     * Sets the fields that tell of the file, ETag and Content-Type, for an answer whose body, ranges and conditions are
     * the server's business.
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
            String type = request.getServletContext().getMimeType(file.getFileName().toString());
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
        ByteRange range = ByteRange.of(rangeApplies() ? request.getHeader("Range") : null, attributes.size());
        if (range.length() == 0 && attributes.size() > 0 || range.start() > attributes.size()) {
            // Not sendError: containers drop the fields set before it, and with them Content-Range.
            response.setStatus(HttpServletResponse.SC_REQUESTED_RANGE_NOT_SATISFIABLE);
            response.setHeader("Content-Range", "bytes */" + attributes.size());
            response.setContentLength(0);
            return;
        }
        if (range.length() < attributes.size()) {
            response.setStatus(HttpServletResponse.SC_PARTIAL_CONTENT);
            response.setHeader("Content-Range", "bytes " + range.start() + "-" + (range.start() + range.length() - 1)
                + "/" + attributes.size());
        }
        setType(file, response);
        response.setContentLengthLong(range.length());
        if (!request.getMethod().equals("HEAD")) {
            copy(file, range, response.getOutputStream());
        }
    }

    /** The status of the first condition that does not hold, or 0. */
    private int failedCondition() {
        long modified = attributes.lastModifiedTime().toMillis() / 1000 * 1000;
        String match = request.getHeader("If-Match");
        if (match != null ? !lists(match) : isBefore("If-Unmodified-Since", modified)) {
            return HttpServletResponse.SC_PRECONDITION_FAILED;
        }
        String noneMatch = request.getHeader("If-None-Match");
        if (noneMatch != null ? lists(noneMatch)
            : date("If-Modified-Since") >= 0 && !isBefore("If-Modified-Since", modified)) {
            return HttpServletResponse.SC_NOT_MODIFIED;
        }
        return 0;
    }

    private boolean lists(String etags) {
        return etags.trim().equals("*") || Arrays.stream(etags.split(",")).map(String::trim)
            .anyMatch(tag -> tag.equals(etag) || tag.equals("W/" + etag));
    }

    private boolean isBefore(String field, long modifiedMillis) {
        long date = date(field);
        return date >= 0 && date < modifiedMillis;
    }

    /** Only GET has ranges; with If-Range they count only while the file is still the one that the client knows. */
    private boolean rangeApplies() {
        String condition = request.getHeader("If-Range");
        if (!request.getMethod().equals("GET") || condition == null) {
            return request.getMethod().equals("GET");
        }
        return condition.equals(etag)
            || date("If-Range") == attributes.lastModifiedTime().toMillis() / 1000 * 1000;
    }

    private long date(String field) {
        try {
            return request.getDateHeader(field);
        } catch (IllegalArgumentException ignored) {
            // A date that cannot be read counts as not there (RFC 9110, 13.1.3).
            return -1;
        }
    }

    private static void copy(Path file, ByteRange range, OutputStream out) throws IOException {
        ByteBuffer block = ByteBuffer.wrap(new byte[(int) Math.min(BLOCK, Math.max(1, range.length()))]);
        try (FileChannel channel = FileChannel.open(file)) {
            long position = range.start();
            for (long left = range.length(); left > 0;) {
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
