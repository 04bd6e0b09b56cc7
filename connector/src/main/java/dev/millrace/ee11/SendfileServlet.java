package dev.millrace.ee11;

import dev.millrace.files.SendfileContentFactory;
import jakarta.servlet.ServletException;
import java.util.Set;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;

/**
 * Jetty's {@link ResourceServlet}, sending files by the kernel on connectors of Millrace. Takes the same init parameters;
 * those of Jetty's content cache and mapping have no effect, for both would hold in memory what the kernel sends.
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
        getResourceService().setHttpContentFactory(
                new SendfileContentFactory(getResourceService().getHttpContentFactory()));
    }

    @Override
    public String getInitParameter(String name) {
        if (name.equals("minMappedFileSize")) {
            return "0";
        }
        return CACHING.contains(name) ? null : super.getInitParameter(name);
    }
}
