package dev.millrace.ee11;

import dev.millrace.files.SendfileContentFactory;
import jakarta.servlet.ServletException;
import java.util.OptionalLong;
import java.util.Set;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.PreCompressedHttpContentFactory;

/**
 * Jetty's {@link ResourceServlet}, sending files by the kernel on connectors of Millrace. Takes the same init parameters. Those
 * of Jetty's content cache set ours: {@code maxCachedFiles} is the most files kept open, {@code cacheValidationTime} for how
 * many milliseconds a file is believed to be unchanged. Those of mapped files have no effect. Ours besides:
 * {@code minTransferBytes}, and {@code debugHeader} ({@code true}: answers say how their content went).
 *
 * <pre>{@code
 * ServletHolder files = context.addServlet(SendfileServlet.class, "/files/*");
 * files.setInitParameter("baseResource", "/srv/files");
 * }</pre>
 */
public class SendfileServlet extends ResourceServlet {
    private static final long serialVersionUID = 1L;
    private static final Set<String> CACHING = Set.of("maxCacheSize", "maxCachedFileSize", "maxCachedFiles",
            "cacheValidationTime", "useFileMappedBuffer", "maxMappedFileSize");

    /** Made by the container. */
    public SendfileServlet() {
    }

    @Override
    public void init() throws ServletException {
        super.init();
        HttpContent.Factory found = getResourceService().getHttpContentFactory();
        if (found instanceof SendfileContentFactory) {
            return;
        }
        // Variants are looked up in our cache too.
        if (found instanceof PreCompressedHttpContentFactory outer) {
            found = outer.getBean(HttpContent.Factory.class);
        }
        SendfileContentFactory sendfile = new SendfileContentFactory(found);
        configure(sendfile);
        getResourceService().setHttpContentFactory(
                new PreCompressedHttpContentFactory(sendfile, getResourceService().getPrecompressedFormats()));
    }

    private void configure(SendfileContentFactory files) {
        integer("minTransferBytes").ifPresent(value -> files.setMinTransferBytes((int) value));
        integer("maxCachedFiles").ifPresent(value -> files.setMaxOpenFiles((int) value));
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
    public String getInitParameter(String name) {
        if (name.equals("minMappedFileSize")) {
            return "0";
        }
        return CACHING.contains(name) ? null : super.getInitParameter(name);
    }
}
