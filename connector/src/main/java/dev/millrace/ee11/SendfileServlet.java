package dev.millrace.ee11;

import dev.millrace.files.SendfileContentFactory;
import dev.millrace.files.SendfileSettings;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletApiResponse;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.ee11.servlet.ServletContextResponse;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.content.FileMappingHttpContentFactory;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.PreCompressedHttpContentFactory;
import org.eclipse.jetty.http.content.VirtualHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.StringUtil;
import org.eclipse.jetty.util.component.ContainerLifeCycle;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's {@link ResourceServlet}, sending files by the kernel on connectors of Millrace. Takes the same init
 * parameters. Those of Jetty's content cache set ours. {@code maxCachedFiles} is the most files kept open,
 * {@code maxCacheSize} the most bytes of the content cache (4 MiB unless given), {@code maxCachedFileSize} the largest file in
 * it. {@code cacheValidationTime} is the time in milliseconds for which a file is taken to be unchanged, and a missing one to
 * be missing. Unless given it is 0: each request looks at its file. Those of mapped files have no effect. Ours besides:
 * {@code minTransferBytes}, {@code maxGatherBytes}, {@code maxRanges}, {@code maxCompressedBytes}, {@code algorithm},
 * and {@code debugHeader} ({@code true}: answers say how their content went). Where the context has a
 * {@link SendfileContentFactory} as its attribute, that one has settings of its own, and these have no effect.
 *
 * <pre>{@code
 * ServletHolder files = context.addServlet(SendfileServlet.class, "/files/*");
 * files.setInitParameter("baseResource", "/srv/files");
 * }</pre>
 *
 * <p>Thread-safe once it is initialized, as any servlet.
 */
public class SendfileServlet extends ResourceServlet {
    private static final long serialVersionUID = 1L;
    private static final String RANGE = HttpHeader.RANGE.asString();
    private static final Set<String> RANGES = Set.of("range");
    private static final Set<String> RANGES_AND_CONDITIONS =
            Set.of("range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since");
    private static final Set<String> CACHING = Set.of(
            "maxCacheSize",
            "maxCachedFileSize",
            "maxCachedFiles",
            "cacheValidationTime",
            "useFileMappedBuffer",
            "maxMappedFileSize");

    private transient SendfileContentFactory files;
    /** Jetty's servlet looks content up by its path alone: this tells for which request, while it does. */
    @SuppressWarnings("ThreadLocalUsage") // Of this servlet: an included one may look up meanwhile.
    private final transient ThreadLocal<LookUps> lookUps = new ThreadLocal<>();

    /** Made by the container. */
    public SendfileServlet() {}

    @Override
    public void init() throws ServletException {
        super.init();
        HttpContent.Factory found = getResourceService().getHttpContentFactory();
        if (found instanceof SendfileContentFactory ours) {
            files = ours;
            // Another servlet may serve by it now: it goes on, and stops with what is put around it.
            getResourceService().unmanage(ours);
            getResourceService().setHttpContentFactory(new PartsFactory(ours));
            return;
        }
        // Variants are looked up in our cache too; and what a ServerSendfile has put here has that one's settings.
        while (found instanceof PreCompressedHttpContentFactory || found instanceof SendfileContentFactory) {
            found = ((ContainerLifeCycle) found).getBean(HttpContent.Factory.class);
        }
        files = new SendfileContentFactory(withoutMapping(found));
        configure(files.getSettings());
        getResourceService()
                .setHttpContentFactory(new PartsFactory(new PreCompressedHttpContentFactory(
                        files, getResourceService().getPrecompressedFormats())));
    }

    // Jetty would map each file that is found, of a megabyte or more, until a garbage collection.
    private HttpContent.Factory withoutMapping(HttpContent.Factory found) {
        if (found instanceof VirtualHttpContentFactory styleSheet
                && styleSheet.getBean(HttpContent.Factory.class) instanceof FileMappingHttpContentFactory mapping) {
            ByteBufferPool pool =
                    initContextHandler(getServletContext()).getServer().getByteBufferPool();
            return new VirtualHttpContentFactory(
                    mapping.getBean(HttpContent.Factory.class),
                    styleSheet.getResource(),
                    styleSheet.getContentType(),
                    new ByteBufferPool.Sized(pool));
        }
        return found;
    }

    private void configure(SendfileSettings settings) {
        set("minTransferBytes", Integer::valueOf, settings::setMinTransferBytes);
        set("maxGatherBytes", Integer::valueOf, settings::setMaxGatherBytes);
        // Jetty's 0: none.
        setOfJetty("maxCachedFiles", most -> settings.setMaxOpenFiles(Math.max(1, most)));
        set("maxRanges", Integer::valueOf, settings::setMaxRanges);
        set("maxCompressedBytes", Long::valueOf, settings::setMaxCompressedBytes);
        setOfJetty("maxCacheSize", settings::setMaxCacheBytes);
        setOfJetty("maxCachedFileSize", settings::setMaxCachedFileBytes);
        set("cacheValidationTime", Long::valueOf, millis -> {
            settings.setValidMillis(millis);
            settings.setMissingMillis(millis);
        });
        set("algorithm", Function.identity(), settings::setAlgorithm);
        // As Jetty reads its own.
        set("debugHeader", value -> "tTyY1".indexOf(value.charAt(0)) >= 0, settings::setDebugHeader);
    }

    // Jetty's -1: the default.
    private void setOfJetty(String name, IntConsumer setter) {
        set(name, Integer::valueOf, value -> {
            if (value >= 0) {
                setter.accept(value);
            }
        });
    }

    private <T> void set(String name, Function<String, T> reading, Consumer<T> setter) {
        String value = super.getInitParameter(name);
        if (value == null || value.isBlank()) {
            return;
        }
        try {
            setter.accept(reading.apply(value));
        } catch (IllegalArgumentException x) {
            throw new IllegalArgumentException(
                    name + " of " + getServletName() + " cannot be " + value + ": " + x.getMessage(), x);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        DispatcherType dispatched = request.getDispatcherType();
        boolean isIncluded = dispatched == DispatcherType.INCLUDE;
        if (isIncluded
                || dispatched == DispatcherType.ERROR
                || request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) != null) {
            // Range and conditions are of what the client asked for. That is a page of which this file is a part, or
            // something that is not there. The answer keeps that one's status, also when an error servlet forwards.
            lookUp(
                    new LookUps(null, isIncluded),
                    () -> super.doGet(new Whole(request, RANGES_AND_CONDITIONS), response));
        } else if (request.getHeaders(RANGE).hasMoreElements()) {
            lookUp(new LookUps(severalRanges(request), false), () -> getRanges(request, response));
        } else {
            super.doGet(request, response);
        }
    }

    /** Serves a request. */
    private interface Serving {
        void serve() throws ServletException, IOException;
    }

    private void lookUp(LookUps own, Serving serving) throws ServletException, IOException {
        // A welcome file is forwarded to.
        LookUps outer = lookUps.get();
        lookUps.set(own);
        try {
            serving.serve();
        } finally {
            if (outer == null) {
                lookUps.remove();
            } else {
                lookUps.set(outer);
            }
        }
    }

    private static @Nullable Request severalRanges(HttpServletRequest request) {
        String range = request.getHeader(RANGE);
        return range != null && range.indexOf(',') >= 0
                ? ServletContextRequest.getServletContextRequest(request)
                : null;
    }

    private void getRanges(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        ServletContextResponse target =
                ServletContextRequest.getServletContextRequest(request).getServletContextResponse();
        boolean isDirect = response instanceof ServletApiResponse && !target.isWritingOrStreaming();
        // Behind an application's wrapper, or its output, anything may be done to what is written.
        HttpServletRequest served =
                withRanges(request, isDirect ? target : new Response.Wrapper(target.getRequest(), target));
        if (served == request && lookUps.get().severalRanges != null && isDirect) {
            lookUps.get().partsTo = target;
        }
        super.doGet(served, response);
    }

    /** What was found for a request: what is sent is what its conditions were judged by, whatever has come there since. */
    private static final class LookUps {
        /** What was found by path; a value of null: nothing is there. */
        private final Map<String, HttpContent> found = new HashMap<>();
        /** What the parts of several ranges are written to; null: there are none. */
        private @Nullable ServletContextResponse partsTo;
        /** The request, if it is for several ranges; null: it is another. */
        private final @Nullable Request severalRanges;

        private final boolean isIncluded;

        private LookUps(@Nullable Request severalRanges, boolean isIncluded) {
            this.severalRanges = severalRanges;
            this.isIncluded = isIncluded;
        }
    }

    /** Looks content up for the request that this thread is serving. */
    private final class PartsFactory extends ContainerLifeCycle implements HttpContent.Factory {
        private final HttpContent.Factory found;

        private PartsFactory(HttpContent.Factory found) {
            this.found = found;
            installBean(found, true);
        }

        @Override
        public @Nullable HttpContent getContent(String path) throws IOException {
            LookUps current = lookUps.get();
            if (current == null) {
                return find(path);
            }
            if (!current.found.containsKey(path)) {
                Request severalRanges = current.severalRanges;
                current.found.put(
                        path, severalRanges == null ? find(path) : files.hold(this::find, path, severalRanges));
            }
            HttpContent content = current.found.get(path);
            return current.partsTo == null ? content : files.withParts(content, current.partsTo);
        }

        private @Nullable HttpContent find(String path) throws IOException {
            HttpContent content = found.getContent(path);
            LookUps current = lookUps.get();
            boolean isIncluded = current != null && current.isIncluded;
            return content == null || !(isIncluded || content.getResource().isDirectory())
                    ? content
                    : new HttpContent.Wrapper(content) {
                        // A directory has no variants: one of its name and an extension is a file of its own. A part of
                        // a page has no coding of its own.
                        @Override
                        public Set<CompressedContentFormat> getPreCompressedContentFormats() {
                            return Set.of();
                        }
                    };
        }
    }

    private HttpServletRequest withRanges(HttpServletRequest request, Response response) throws IOException {
        try {
            String path = getEncodedPathInContext(request, false);
            ServletContextRequest target = ServletContextRequest.getServletContextRequest(request);
            // The variant that will be sent: each has a version of its own.
            HttpContent content = path == null ? null : getResourceService().getContent(path, target);
            return content == null
                            || content.getResource().isDirectory()
                            || files.acceptsRanges(target.getHeaders(), content, response)
                    ? request
                    : new Whole(request, RANGES);
        } catch (InvalidPathException ignored) {
            // Jetty answers it.
            return request;
        }
    }

    /** A request for the whole file: without its ranges, or without its conditions too. */
    private static final class Whole extends HttpServletRequestWrapper {
        private final Set<String> without;

        /** @param without names of fields, in lower case */
        private Whole(HttpServletRequest wrapped, Set<String> without) {
            super(wrapped);
            this.without = without;
        }

        private boolean isWithout(String name) {
            return without.contains(StringUtil.asciiToLowerCase(name));
        }

        @Override
        public @Nullable String getHeader(String name) {
            return isWithout(name) ? null : super.getHeader(name);
        }

        @Override
        public Enumeration<String> getHeaders(String name) {
            return isWithout(name) ? Collections.emptyEnumeration() : super.getHeaders(name);
        }

        @Override
        public Enumeration<String> getHeaderNames() {
            List<String> names = Collections.list(super.getHeaderNames());
            names.removeIf(this::isWithout);
            return Collections.enumeration(names);
        }
    }

    @Override
    public @Nullable String getInitParameter(String name) {
        if (name.equals("minMappedFileSize")) {
            return "0";
        }
        return CACHING.contains(name) ? null : super.getInitParameter(name);
    }
}
