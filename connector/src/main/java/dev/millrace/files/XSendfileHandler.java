package dev.millrace.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContent;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.resource.Resource;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the files that an application names in its response instead of a body: {@code X-Sendfile: /absolute/path}, or
 * {@code X-Accel-Redirect: /uri} by prefixes that are mapped to directories. Access control stays in the application,
 * and its thread is free once it has answered.
 *
 * <pre>{@code
 * XSendfileHandler xSendfile = new XSendfileHandler(application);
 * xSendfile.addRoot("/srv/protected");
 * xSendfile.addMapping("/protected/", "/srv/protected");
 * server.setHandler(xSendfile);
 * }</pre>
 *
 * <p>Only files below the roots are sent, by their real paths; everything else answers 404 and is logged. The fields
 * are taken out of every response, also while this is off. The application's other fields stay; its body does not.
 * Ranges and conditions of a GET or HEAD are honoured. Applies to responses of status 200 that are not committed. An
 * application can name the transfer in {@code X-Download-Id}, for {@link TransferListener}s.
 *
 * <p>A servlet must not set {@code Content-Length} besides: its channel answers 500 when less than that was written through the
 * servlet's own output, before anything here is asked.
 */
@ManagedObject("Files that applications delegate")
public class XSendfileHandler extends Handler.Wrapper {
    /**
     * Contexts below have an attribute of this name, by which an application can ask, in JDK types, before it names a
     * file: a {@link Predicate} of a {@link Path}, true when {@code X-Sendfile} may name it; whether it is
     * there, and where a link leads, is not asked.
     */
    public static final String CONTEXT_ATTRIBUTE = "dev.millrace.xsendfile";
    private static final Logger LOG = LoggerFactory.getLogger(XSendfileHandler.class);

    private final DelegatedRoots roots = new DelegatedRoots();
    private final List<TransferListener> listeners = new CopyOnWriteArrayList<>();
    private final SendfileContentFactory files = new SendfileContentFactory(this::find);
    private final FilesService service = new FilesService(() -> files, this::getServer);
    private MimeTypes mimeTypes = MimeTypes.DEFAULTS;
    private ResourceFactory resources;
    private volatile boolean enabled = true;

    /** To be given an application by {@link #setHandler}. */
    public XSendfileHandler() {
        this(null);
    }

    /** @param application whose responses may name files */
    public XSendfileHandler(Handler application) {
        super(application);
        // The application may have written the file a moment ago.
        files.setValidMillis(0);
        files.openFiles().setContainment(roots::contains);
        service.setHttpContentFactory(files);
        service.setEtags(true);
        service.setGzipEquivalentFileExtensions(List.of());
        installBean(service);
        installBean(roots);
        addEventListener(new AcceptedFiles(file -> enabled && roots.allows(file)));
    }

    /** @param directory from which files may be sent by {@code X-Sendfile} */
    public void addRoot(String directory) {
        roots.addRoot(Path.of(directory));
    }

    /**
     * @param uriPrefix what URIs of {@code X-Accel-Redirect} begin with; begins and ends with a slash
     * @param directory where the rest of the URI leads to a file
     */
    public void addMapping(String uriPrefix, String directory) {
        roots.addMapping(uriPrefix, Path.of(directory));
    }

    /**
     * Adds roots as a configuration file has them.
     *
     * @param base what relative directories are relative to
     * @param directories separated by commas; null for none
     */
    public void addRoots(String base, String directories) {
        split(directories).forEach(directory -> roots.addRoot(Path.of(base).resolve(directory)));
    }

    /**
     * Adds mappings as a configuration file has them.
     *
     * @param base what relative directories are relative to
     * @param mappings {@code /prefix/=directory}, separated by commas; null for none
     */
    public void addMappings(String base, String mappings) {
        for (String mapping : split(mappings)) {
            int equals = mapping.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("not of the form /prefix/=directory: " + mapping);
            }
            roots.addMapping(mapping.substring(0, equals).strip(),
                    Path.of(base).resolve(mapping.substring(equals + 1).strip()));
        }
    }

    private static List<String> split(String list) {
        return list == null ? List.of()
                : Arrays.stream(list.split(",")).map(String::strip).filter(part -> !part.isEmpty()).toList();
    }

    /** @param listener learns how transfers end; started and stopped with this when it has a life cycle */
    public void addTransferListener(TransferListener listener) {
        if (isRunning() && listener instanceof LifeCycle lifeCycle && !lifeCycle.isRunning()) {
            addManaged(lifeCycle);
        } else {
            addBean(listener);
        }
        listeners.add(listener);
    }

    @ManagedAttribute("Whether files are sent; the fields are taken out in any case")
    public boolean isEnabled() {
        return enabled;
    }

    /** @param enabled whether files are sent; the fields are taken out of responses in any case */
    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    /** @param mimeTypes the types of files by extension, for applications that give none */
    public void setMimeTypes(MimeTypes mimeTypes) {
        this.mimeTypes = mimeTypes;
    }

    /** @return what keeps files open and sends them, with its settings and counters */
    public SendfileContentFactory getSendfileContentFactory() {
        return files;
    }

    @Override
    protected void doStart() throws Exception {
        if (enabled && roots.isEmpty()) {
            LOG.warn("No roots and no mappings: every file that an application names will be answered 404");
        }
        if (enabled) {
            roots.warnOfMissing();
        }
        resources = ResourceFactory.of(this);
        files.setServer(getServer());
        super.doStart();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        DelegatingResponse delegating = new DelegatingResponse(this, request, response, callback);
        boolean handled = false;
        try {
            handled = super.handle(request, delegating, delegating);
            return handled;
        } finally {
            if (!handled) {
                delegating.strip();
            }
        }
    }

    DelegatedRoots roots() {
        return roots;
    }

    FilesService service() {
        return service;
    }

    List<TransferListener> listeners() {
        return listeners;
    }

    /** @return the content of a file; null when there is none, or it is outside of the roots */
    HttpContent content(Path file) throws IOException {
        return files.getContent(file.toString());
    }

    private HttpContent find(String path) throws IOException {
        Resource resource = Files.isRegularFile(Path.of(path)) ? resources.newResource(Path.of(path)) : null;
        if (resource == null) {
            LOG.warn("Not sending {}: there is no such file", path);
            return null;
        }
        if (!roots.contains(resource.getPath(), resource.getPath().toRealPath())) {
            return null;
        }
        return new ResourceHttpContent(resource, mimeTypes.getMimeByExtension(path),
                new ByteBufferPool.Sized(getServer().getByteBufferPool()));
    }
}
