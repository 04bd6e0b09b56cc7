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

/**
 * The UUID service over HTTP. GET takes one batch as query parameters ({@code method}, {@code count}, {@code name},
 * {@code namespace}, {@code digest}), POST takes a document with any number of batches. The answer is XML, JSON or
 * plain text by the Accept field, indented when the query says {@code indent}.
 *
 * <p>Nothing is generated unless all of a request is right. Wrong requests are answered with 400, 405, 406, 413, 415
 * or 422 and a body that says why.
 *
 * <p>Init parameters: {@code maxUuids}, how many UUIDs a request may ask for (100); {@code maxBodyBytes}, how long the
 * body of a POST may be (65536). The servlet has no mapping of its own: the web application maps it.
 */
public final class UuidServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String METHODS = "GET, HEAD, POST, OPTIONS";
    private static final Pattern CHARSET =
        Pattern.compile(";\\s*charset=\"?([^\"\\s;]+)\"?", Pattern.CASE_INSENSITIVE);
    private static final int DEFAULT_MAX_UUIDS = 100;
    private static final int DEFAULT_MAX_BODY_BYTES = 64 * 1024;
    private static final int MAX_DRAINED_BYTES = 1024 * 1024;

    private transient UuidService service;
    private transient XmlReader xmlReader;
    private int maxBodyBytes;

    @Override
    public void init() throws ServletException {
        int maxUuids = positiveParameter("maxUuids", DEFAULT_MAX_UUIDS);
        maxBodyBytes = positiveParameter("maxBodyBytes", DEFAULT_MAX_BODY_BYTES);
        service = new UuidService(maxUuids);
        // One more element than can be right, so that the limit of UUIDs is met before that of elements; and the root.
        xmlReader = new XmlReader(XmlFactories.hardenedInput(maxUuids + 2, maxBodyBytes));
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
        AnswerFormat accepted = AnswerFormat.negotiate(request.getHeaders("Accept"));
        AnswerFormat format = accepted == null ? AnswerFormat.XML : accepted;
        boolean indented = QueryReader.wantsIndentation(request.getQueryString());
        try {
            if (request.getMethod().equals("OPTIONS")) {
                response.setHeader("Allow", METHODS);
                return;
            }
            Order order = read(request, accepted);
            List<UUID> uuids = service.generate(order);
            prepare(response, HttpServletResponse.SC_OK, format);
            format.writer().writeUuids(uuids, indented, new AnswerStream(response.getOutputStream()));
        } catch (RefusedException e) {
            drain(request);
            refuse(response, e.refusal(), format, indented);
        } catch (RuntimeException e) {
            if (response.isCommitted()) {
                // Only the container can still tell the peer, by breaking the answer off; it logs this too.
                throw e;
            }
            log("cannot answer " + request.getMethod() + " " + request.getRequestURI(), e);
            response.reset();
            refuse(response, new Refusal(Fault.INTERNAL, "the service failed", 0, 0), format, indented);
        }
    }

    private Order read(HttpServletRequest request, AnswerFormat accepted) throws IOException, RefusedException {
        Order order = service.newOrder();
        switch (request.getMethod()) {
            case "GET", "HEAD" -> {
                checkAcceptable(accepted);
                QueryReader.read(request, order);
            }
            case "POST" -> {
                checkAcceptable(accepted);
                readBody(request, order);
            }
            default -> throw new RefusedException(Fault.METHOD_NOT_ALLOWED, "only " + METHODS + " are allowed");
        }
        return order;
    }

    private static void checkAcceptable(AnswerFormat accepted) throws RefusedException {
        if (accepted == null) {
            throw new RefusedException(Fault.NOT_ACCEPTABLE,
                "answers are text/xml, application/xml, application/json or text/plain");
        }
    }

    private void readBody(HttpServletRequest request, Order order) throws IOException, RefusedException {
        // By the field itself: Jetty's getContentType throws when the charset is not supported.
        String contentType = request.getHeader("Content-Type");
        checkContentType(contentType, request.getHeader("Content-Encoding"));
        if (request.getContentLengthLong() > maxBodyBytes) {
            throw LimitedBody.tooLong(maxBodyBytes);
        }
        LimitedBody body = new LimitedBody(request.getInputStream(), maxBodyBytes);
        xmlReader.read(body, charset(contentType), order);
    }

    private static void checkContentType(String contentType, String encoding) throws RefusedException {
        if (encoding != null && !encoding.strip().equalsIgnoreCase("identity")) {
            throw new RefusedException(Fault.UNSUPPORTED_MEDIA_TYPE, "the body must not be encoded");
        }
        if (contentType == null) {
            return;
        }
        switch (contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT)) {
            case "text/xml", "application/xml" -> { }
            // What curl -d and java.net.HttpURLConnection call any body when they are told nothing.
            case "application/x-www-form-urlencoded" -> { }
            default -> throw new RefusedException(Fault.UNSUPPORTED_MEDIA_TYPE,
                "the body must be text/xml or application/xml");
        }
    }

    /**
     * The charset that the Content-Type field names, or null. Not by getCharacterEncoding: containers fill that with
     * defaults, which must not go before what the document itself says.
     */
    private static String charset(String contentType) throws RefusedException {
        Matcher parameter = contentType == null ? null : CHARSET.matcher(contentType);
        if (parameter == null || !parameter.find()) {
            return null;
        }
        String charset = parameter.group(1);
        try {
            return Charset.forName(charset).name();
        } catch (IllegalArgumentException e) {
            throw new RefusedException(Fault.UNSUPPORTED_MEDIA_TYPE,
                "charset " + SafeText.quote(charset) + " is not supported");
        }
    }

    /**
     * Reads and drops the rest of a body that is not too long: a peer that sends all of its request before it reads
     * would otherwise find its connection reset instead of the answer (RFC 9112 section 9.6).
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

    private static void refuse(HttpServletResponse response, Refusal refusal, AnswerFormat format, boolean indented)
            throws IOException {
        prepare(response, refusal.fault().status(), format);
        if (refusal.fault() == Fault.METHOD_NOT_ALLOWED) {
            response.setHeader("Allow", METHODS);
        } else if (refusal.fault() == Fault.UNSUPPORTED_MEDIA_TYPE) {
            response.setHeader("Accept", "text/xml, application/xml");
        }
        format.writer().writeRefusal(refusal, indented, new AnswerStream(response.getOutputStream()));
    }

    private static void prepare(HttpServletResponse response, int status, AnswerFormat format) {
        response.setStatus(status);
        response.setContentType(format.contentType());
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("Vary", "Accept");
        response.setHeader("X-Content-Type-Options", "nosniff");
    }
}
