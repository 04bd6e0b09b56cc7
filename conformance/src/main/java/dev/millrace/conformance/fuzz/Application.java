package dev.millrace.conformance.fuzz;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * The application behind all servers. The first segment of the path chooses the manner in which it answers. An answer
 * depends on the request's bytes alone, and not on the moments at which they come. Safe for use by any thread.
 */
final class Application extends Handler.Abstract {
    private static final ByteBuffer PART = ByteBuffer.wrap("x".repeat(300).getBytes(StandardCharsets.US_ASCII));

    /** Answers one request. */
    private interface Manner {
        void answer(Request request, Response response, Callback callback) throws Exception;
    }

    private final Map<String, Manner> manners = Map.of(
            "async", Application::mirrorAsynchronously,
            "chunks", Application::answerInChunks,
            "close", Application::closeAfterwards,
            "early", Application::beginEarly,
            "fail", Application::fail,
            "fail-late", Application::failLate,
            "ignore", Application::ignoreContent,
            "interim", Application::sayMoreBefore,
            "short", Application::breakPromise,
            "trailers", Application::sendTrailers);

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String manner = mannerOf(Request.getPathInContext(request));
        manners.getOrDefault(manner, Application::mirror).answer(request, response, callback);
        return true;
    }

    /** The first segment of a path. */
    static String mannerOf(String path) {
        int end = path.indexOf('/', 1);
        return path.isEmpty() ? "" : path.substring(1, end < 0 ? path.length() : end);
    }

    /** Answers with the request itself, as far as text can tell it. */
    private static void mirror(Request request, Response response, Callback callback) throws Exception {
        ByteBuffer content = Content.Source.asByteBuffer(request);
        Content.Sink.write(response, true, describe(request, content), callback);
    }

    private static String describe(Request request, ByteBuffer content) {
        StringBuilder text = new StringBuilder();
        text.append(request.getMethod()).append(' ').append(request.getHttpURI().getPathQuery());
        text.append(' ')
                .append(request.getConnectionMetaData().getHttpVersion())
                .append('\n');
        // Without a Host field this is the server's own, whose port differs.
        if (request.getHeaders().contains(HttpHeader.HOST)) {
            text.append(request.getHttpURI().getAuthority()).append('\n');
        }
        append(text, request.getHeaders());
        text.append(BufferUtil.toString(content, StandardCharsets.ISO_8859_1));
        HttpFields trailers = request.getTrailers();
        if (trailers != null) {
            append(text.append("\ntrailers\n"), trailers);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, HttpFields fields) {
        for (HttpField field : fields) {
            text.append(field.getName()).append(": ").append(field.getValue()).append('\n');
        }
    }

    private static void mirrorAsynchronously(Request request, Response response, Callback callback) {
        Content.Source.asByteBuffer(request, new org.eclipse.jetty.util.Promise<>() {
            @Override
            public void succeeded(ByteBuffer content) {
                Content.Sink.write(response, true, describe(request, content), callback);
            }

            @Override
            public void failed(Throwable x) {
                Response.writeError(request, response, callback, x);
            }
        });
    }

    private static void answerInChunks(Request request, Response response, Callback callback) throws Exception {
        Content.Source.consumeAll(request);
        for (int i = 0; i < 3; i++) {
            write(response, false);
        }
        response.write(true, BufferUtil.EMPTY_BUFFER, callback);
    }

    private static void closeAfterwards(Request request, Response response, Callback callback) throws Exception {
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        mirror(request, response, callback);
    }

    private static void beginEarly(Request request, Response response, Callback callback) throws Exception {
        write(response, false);
        mirror(request, response, callback);
    }

    private static void fail(Request request, Response response, Callback callback) {
        throw new IllegalArgumentException("as asked");
    }

    private static void failLate(Request request, Response response, Callback callback) throws Exception {
        Content.Source.consumeAll(request);
        write(response, false);
        callback.failed(new IllegalArgumentException("as asked"));
    }

    private static void ignoreContent(Request request, Response response, Callback callback) {
        Content.Sink.write(response, true, "ignored", callback);
    }

    private static void sayMoreBefore(Request request, Response response, Callback callback) throws Exception {
        response.writeInterim(HttpStatus.EARLY_HINTS_103, HttpFields.build().put("Link", "</style.css>; rel=preload"))
                .get();
        mirror(request, response, callback);
    }

    private static void breakPromise(Request request, Response response, Callback callback) throws Exception {
        Content.Source.consumeAll(request);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, 700);
        write(response, false);
        callback.succeeded();
    }

    private static void sendTrailers(Request request, Response response, Callback callback) throws Exception {
        Content.Source.consumeAll(request);
        response.setTrailersSupplier(() -> HttpFields.build().put("Last", "word"));
        write(response, false);
        callback.succeeded();
    }

    private static void write(Response response, boolean last) throws Exception {
        Content.Sink.write(response, last, PART.slice());
    }
}
