package dev.millrace.ee11;

import dev.millrace.files.SendfileContentFactory;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.PreCompressedHttpContentFactory;

/**
 * Jetty's {@link ResourceServlet}, sending files by the kernel on connectors of Millrace. Takes the same init
 * parameters. Those of Jetty's content cache set ours: {@code maxCachedFiles} is the most files kept open,
 * {@code maxCacheSize} the bytes of the content cache (none unless given), {@code maxCachedFileSize} the largest file in it,
 * {@code cacheValidationTime} for how many milliseconds a file is believed to be unchanged. Those of mapped files have
 * no effect. Ours besides: {@code minTransferBytes}, {@code maxRanges}, {@code maxCompressedBytes}, and
 * {@code debugHeader} ({@code true}: answers say how their content went).
 *
 * <pre>{@code
 * ServletHolder files = context.addServlet(SendfileServlet.class, "/files/*");
 * files.setInitParameter("baseResource", "/srv/files");
 * }</pre>
 */
public class SendfileServlet extends ResourceServlet {
    private static final long serialVersionUID = 1L;
    private static final String RANGE = HttpHeader.RANGE.asString();
    private static final Set<String> CACHING = Set.of("maxCacheSize", "maxCachedFileSize", "maxCachedFiles",
            "cacheValidationTime", "useFileMappedBuffer", "maxMappedFileSize");

    private transient SendfileContentFactory files;

    /** Made by the container. */
    public SendfileServlet() {
    }

    @Override
    public void init() throws ServletException {
        super.init();
        HttpContent.Factory found = getResourceService().getHttpContentFactory();
        if (found instanceof SendfileContentFactory ours) {
            files = ours;
            return;
        }
        // Variants are looked up in our cache too.
        if (found instanceof PreCompressedHttpContentFactory outer) {
            found = outer.getBean(HttpContent.Factory.class);
        }
        files = new SendfileContentFactory(found);
        configure();
        getResourceService().setHttpContentFactory(
                new PreCompressedHttpContentFactory(files, getResourceService().getPrecompressedFormats()));
    }

    private void configure() {
        integer("minTransferBytes").ifPresent(value -> files.setMinTransferBytes((int) value));
        integer("maxCachedFiles").ifPresent(value -> files.setMaxOpenFiles((int) value));
        integer("maxRanges").ifPresent(value -> files.setMaxRanges((int) value));
        integer("maxCompressedBytes").ifPresent(files::setMaxCompressedBytes);
        integer("maxCacheSize").ifPresent(value -> files.setMaxCacheBytes(Math.toIntExact(value)));
        integer("maxCachedFileSize").ifPresent(value -> files.setMaxCachedFileBytes(Math.toIntExact(value)));
        integer("cacheValidationTime").ifPresent(files::setValidMillis);
        files.setDebugHeader(Boolean.parseBoolean(super.getInitParameter("debugHeader")));
    }

    private OptionalLong integer(String name) {
        String value = super.getInitParameter(name);
        try {
            return value == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
        } catch (NumberFormatException x) {
            throw new IllegalArgumentException(name + " of " + getServletName() + " is no number: " + value, x);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        HttpServletRequest served = request;
        if (request.getHeader(RANGE) != null) {
            served = withRanges(request);
        }
        super.doGet(served, response);
    }

    private HttpServletRequest withRanges(HttpServletRequest request) throws IOException {
        boolean included = request.getDispatcherType() == DispatcherType.INCLUDE;
        try {
            HttpContent content = files.getContent(getEncodedPathInContext(request, included));
            HttpFields headers = ServletContextRequest.getServletContextRequest(request).getHeaders();
            return content == null || files.acceptsRanges(headers, content) ? request : new Whole(request);
        } catch (InvalidPathException ignored) {
            // Jetty answers it.
            return request;
        }
    }

    /** A request for the whole of what it asked ranges of. */
    private static final class Whole extends HttpServletRequestWrapper {
        private Whole(HttpServletRequest wrapped) {
            super(wrapped);
        }

        @Override
        public String getHeader(String name) {
            return RANGE.equalsIgnoreCase(name) ? null : super.getHeader(name);
        }

        @Override
        public Enumeration<String> getHeaders(String name) {
            return RANGE.equalsIgnoreCase(name) ? Collections.emptyEnumeration() : super.getHeaders(name);
        }

        @Override
        public Enumeration<String> getHeaderNames() {
            List<String> names = Collections.list(super.getHeaderNames());
            names.removeIf(RANGE::equalsIgnoreCase);
            return Collections.enumeration(names);
        }
    }

    @Override
    public String getInitParameter(String name) {
        if (name.equals("minMappedFileSize")) {
            return "0";
        }
        return CACHING.contains(name) ? null : super.getInitParameter(name);
    }
}
