package dev.millrace.uuid;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The UUID service over HTTP. GET takes one batch as query parameters ({@code method}, {@code count}, {@code name},
 * {@code namespace}, {@code digest}), POST takes an XML or JSON document with any number of batches. The Accept field
 * decides whether the response is XML, JSON or plain text. Where it leaves that open, JSON is answered by JSON, and all
 * else by XML. The query parameter {@code indent} indents it.
 *
 * <p>UUIDs are made only if the whole request is valid. Otherwise the response has status 400, 405, 406, 413, 415 or
 * 422, and a body with the reason.
 *
 * <p>Init parameters: {@code maxUuids}, the largest number of UUIDs in a request (100); {@code maxBodyBytes}, the
 * largest body of a POST in bytes (65536). The web application must map the servlet. All threads share it.
 */
public final class UuidServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String JSON = "application/json";
    private static final String BODIES = "text/xml, application/xml, " + JSON;
    private static final String METHODS = "GET, HEAD, POST, OPTIONS";
    private static final Pattern CHARSET = Pattern.compile(";\\s*charset=\"?([^\"\\s;]+)\"?", Pattern.CASE_INSENSITIVE);
    private static final int DEFAULT_MAX_UUIDS = 100;
    private static final int DEFAULT_MAX_BODY_BYTES = 64 * 1024;
    private static final int MAX_DRAINED_BYTES = 1024 * 1024;

    private transient UuidService service;
    private transient XmlReader xmlReader;
    private transient JsonReader jsonReader;
    private int maxBodyBytes;

    @Override
    public void init() throws ServletException {
        int maxUuids = positiveParameter("maxUuids", DEFAULT_MAX_UUIDS);
        maxBodyBytes = positiveParameter("maxBodyBytes", DEFAULT_MAX_BODY_BYTES);
        service = new UuidService(maxUuids);
        // The root, and one element above the limit, so that too many UUIDs are refused before too many elements.
        xmlReader = new XmlReader(XmlFactories.hardenedInput(maxUuids + 2, maxBodyBytes));
        jsonReader = new JsonReader();
    }

    private int positiveParameter(String name, int defaultValue) throws ServletException {
        String text = getInitParameter(name);
        if (text == null) {
            return defaultValue;
        }
        if (!text.matches("[1-9][0-9]{0,8}")) {
            throw new ServletException("init parameter " + name + " must be a positive number: " + text);
        }
        return Integer.parseInt(text);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        // Jetty's getContentType throws when the charset is not supported, but the field itself can be read.
        String sent = mediaType(request.getHeader("Content-Type"));
        ResponseFormat preferred = sent.equals(JSON) ? ResponseFormat.JSON : ResponseFormat.XML;
        ResponseFormat accepted = ResponseFormat.negotiate(request.getHeaders("Accept"), preferred);
        ResponseFormat format = accepted == null ? preferred : accepted;
        boolean indented = QueryReader.wantsIndentation(request.getQueryString());
        try {
            if (request.getMethod().equals("OPTIONS")) {
                response.setHeader("Allow", METHODS);
                return;
            }
            UuidRequest uuidRequest = read(request, accepted);
            List<UUID> uuids = service.generate(uuidRequest);
            prepare(response, HttpServletResponse.SC_OK, format);
            format.writer().writeUuids(uuids, indented, new ResponseStream(response.getOutputStream()));
        } catch (RefusedException e) {
            drain(request);
            refuse(response, e.refusal(), format, indented);
        } catch (RuntimeException e) {
            if (response.isCommitted()) {
                // The container logs this, and closes the connection, so that the client sees a truncated response.
                throw e;
            }
            log("cannot answer " + request.getMethod() + " " + request.getRequestURI(), e);
            response.reset();
            refuse(response, new Refusal(RefusalReason.INTERNAL, "the service failed", 0, 0), format, indented);
        }
    }

    private UuidRequest read(HttpServletRequest request, @Nullable ResponseFormat accepted)
            throws IOException, RefusedException {
        UuidRequest uuidRequest = service.newRequest();
        switch (request.getMethod()) {
            case "GET", "HEAD" -> {
                checkAcceptable(accepted);
                QueryReader.read(request, uuidRequest);
            }
            case "POST" -> {
                checkAcceptable(accepted);
                QueryReader.checkBesideBody(request.getQueryString());
                readBody(request, uuidRequest);
            }
            default -> throw new RefusedException(RefusalReason.METHOD_NOT_ALLOWED, "only " + METHODS + " are allowed");
        }
        return uuidRequest;
    }

    private static void checkAcceptable(@Nullable ResponseFormat accepted) throws RefusedException {
        if (accepted == null) {
            throw new RefusedException(
                    RefusalReason.NOT_ACCEPTABLE,
                    "answers are text/xml, application/xml, application/json or text/plain");
        }
    }

    private void readBody(HttpServletRequest request, UuidRequest uuidRequest) throws IOException, RefusedException {
        String contentType = request.getHeader("Content-Type");
        String mediaType = mediaType(contentType);
        checkContentType(mediaType, request.getHeader("Content-Encoding"));
        if (request.getContentLengthLong() > maxBodyBytes) {
            throw LimitedBody.tooLong(maxBodyBytes);
        }
        LimitedBody body = new LimitedBody(request.getInputStream(), maxBodyBytes);
        if (mediaType.equals(JSON)) {
            jsonReader.read(body, uuidRequest);
        } else {
            xmlReader.read(body, charset(contentType), uuidRequest);
        }
    }

    /** The media type of a Content-Type field in lower case, without parameters; empty if there is no field. */
    private static String mediaType(@Nullable String contentType) {
        return contentType == null ? "" : contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    private static void checkContentType(String mediaType, @Nullable String encoding) throws RefusedException {
        if (encoding != null && !encoding.strip().equalsIgnoreCase("identity")) {
            throw new RefusedException(RefusalReason.UNSUPPORTED_MEDIA_TYPE, "the body must not be encoded");
        }
        switch (mediaType) {
            case "", "text/xml", "application/xml", JSON -> {}
            // The default of curl -d and java.net.HttpURLConnection for any body.
            case "application/x-www-form-urlencoded" -> {}
            default ->
                throw new RefusedException(RefusalReason.UNSUPPORTED_MEDIA_TYPE, "the body must be one of " + BODIES);
        }
    }

    /**
     * The charset of the Content-Type field, or null. Containers return defaults from getCharacterEncoding, which must
     * not override the document's own declaration.
     */
    private static @Nullable String charset(@Nullable String contentType) throws RefusedException {
        Matcher parameter = contentType == null ? null : CHARSET.matcher(contentType);
        if (parameter == null || !parameter.find()) {
            return null;
        }
        String charset = parameter.group(1);
        try {
            return Charset.forName(charset).name();
        } catch (IllegalArgumentException e) {
            throw new RefusedException(
                    RefusalReason.UNSUPPORTED_MEDIA_TYPE, "charset " + SafeText.quote(charset) + " is not supported");
        }
    }

    /**
     * Reads and drops the rest of a body, unless it is too long. Otherwise a client that sends its whole request before
     * it reads would get a reset instead of the response (RFC 9112 section 9.6).
     */
    private static void drain(HttpServletRequest request) throws IOException {
        if (request.getHeader("Expect") != null || request.getContentLengthLong() > MAX_DRAINED_BYTES) {
            return;
        }
        InputStream body = request.getInputStream();
        byte[] dropped = new byte[4096];
        int drainedBytes = 0;
        int read = 0;
        while (read >= 0 && drainedBytes < MAX_DRAINED_BYTES) {
            read = body.read(dropped);
            drainedBytes += read;
        }
    }

    private static void refuse(HttpServletResponse response, Refusal refusal, ResponseFormat format, boolean indented)
            throws IOException {
        prepare(response, refusal.reason().status(), format);
        if (refusal.reason() == RefusalReason.METHOD_NOT_ALLOWED) {
            response.setHeader("Allow", METHODS);
        } else if (refusal.reason() == RefusalReason.UNSUPPORTED_MEDIA_TYPE) {
            response.setHeader("Accept", BODIES);
        }
        format.writer().writeRefusal(refusal, indented, new ResponseStream(response.getOutputStream()));
    }

    private static void prepare(HttpServletResponse response, int status, ResponseFormat format) {
        response.setStatus(status);
        response.setContentType(format.contentType());
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("Vary", "Accept");
        response.setHeader("X-Content-Type-Options", "nosniff");
    }
}
