package dev.millrace.xsendfile;

import dev.millrace.files.FilesService;
import dev.millrace.files.SendfileContentFactory;
import dev.millrace.files.SendfileSettings;
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
import org.jspecify.annotations.Nullable;
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
 * <p>The fields name only files below the roots, by their real paths. A file that is missing or outside is answered
 * 404, one that may not be read 403, and one that cannot be opened 500. Each is logged, up to twenty times a minute.
 * {@link #setAttributeRead} lets the server's own code name any file. Roots are of all applications, or of those with
 * one context path. What a proxy below has fetched from another server names no file, unless {@link #setProxied} says
 * so. The fields are taken out of every response, also while this is off, unless {@link #setFieldsRead} leaves them
 * in. The application's other fields stay; its body does not. Ranges and conditions of a GET or HEAD are honoured.
 * Applies to responses of status 200 that are not committed. An application can name the transfer in
 * {@code X-Download-Id}, for {@link TransferListener}s.
 *
 * <p>A servlet must not set {@code Content-Length} besides. Its channel answers 500 when less than that was written
 * through the servlet's own output, before anything here is asked.
 *
 * <p>Thread-safe. Roots, mappings, listeners and switches may be changed at any time.
 */
@ManagedObject("Files that applications delegate")
public class XSendfileHandler extends Handler.Wrapper implements DelegatingContexts.Settings {
    /**
     * Contexts below have an attribute of this name: a {@link Predicate} of a {@link Path}. By it an application can ask, in JDK
     * types, whether {@code X-Sendfile} may name a file. Whether the file is there, and where a link leads, is not looked at.
     */
    public static final String CONTEXT_ATTRIBUTE = DelegatingContexts.CONTEXT_ATTRIBUTE;

    /**
     * A request may have an attribute of this name: a {@link Path} of the default file system. That file, by its real path, is sent in
     * place of the response's body. The server's own code sets it, below this handler. It is read when {@link #setAttributeRead} says so.
     * No root is asked. A status other than 200 set afterwards, or a reset of the response, takes it away.
     */
    public static final String FILE_ATTRIBUTE = DelegatedFile.ATTRIBUTE;

    private static final Logger LOG = LoggerFactory.getLogger(XSendfileHandler.class);

    private volatile boolean enabled = true;
    private volatile boolean fieldsRead = true;
    private volatile boolean attributeRead;
    private volatile boolean proxied;
    private final DelegatedRoots roots = new DelegatedRoots(null);
    private final DelegatingContexts contexts = new DelegatingContexts(roots, this);
    private final List<TransferListener> listeners = new CopyOnWriteArrayList<>();
    private final SendfileContentFactory files = new SendfileContentFactory(this::find);
    private final FilesService service = new FilesService(files::getSettings, () -> true);
    private final FileSender sender = new FileSender(service, listeners, roots.warnings());
    private MimeTypes mimeTypes = MimeTypes.DEFAULTS;
    private ResourceFactory resources;

    /** To be given an application by {@link #setHandler}. */
    public XSendfileHandler() {
        this(null);
    }

    /** @param application whose responses may name files */
    public XSendfileHandler(@Nullable Handler application) {
        super(application);
        files.setContainment((key, file) -> roots.realPath(RootedFile.of(key)));
        service.setHttpContentFactory(files);
        service.setEtags(true);
        service.setGzipEquivalentFileExtensions(List.of());
        installBean(service);
        addEventListener(contexts);
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
     * @param contextPath of the contexts whose responses may have files sent from there by {@code X-Sendfile}, besides those
     *     from the roots of all
     * @param directory their root
     */
    public void addContextRoot(String contextPath, String directory) {
        contexts.withPath(contextPath).addRoot(Path.of(directory));
    }

    /**
     * @param contextPath of the contexts whose responses may name such URIs, besides those that are mapped for all
     * @param uriPrefix what URIs of {@code X-Accel-Redirect} begin with; begins and ends with a slash
     * @param directory where the rest of the URI leads to a file
     */
    public void addContextMapping(String contextPath, String uriPrefix, String directory) {
        contexts.withPath(contextPath).addMapping(uriPrefix, Path.of(directory));
    }

    /**
     * Adds roots as a configuration file has them.
     *
     * @param base what relative directories are relative to
     * @param directories separated by commas; null for none
     */
    public void addRoots(String base, @Nullable String directories) {
        split(directories).forEach(directory -> addRoot(resolve(base, directory)));
    }

    /**
     * Adds mappings as a configuration file has them.
     *
     * @param base what relative directories are relative to
     * @param mappings {@code /prefix/=directory}, separated by commas; null for none
     */
    public void addMappings(String base, @Nullable String mappings) {
        for (String mapping : split(mappings)) {
            String[] parts = parts(mapping, "/prefix/", "directory");
            addMapping(parts[0], resolve(base, parts[1]));
        }
    }

    /**
     * Adds roots of contexts as a configuration file has them.
     *
     * @param base what relative directories are relative to
     * @param contextRoots {@code /context=directory}, separated by commas; null for none
     */
    public void addContextRoots(String base, @Nullable String contextRoots) {
        for (String contextRoot : split(contextRoots)) {
            String[] parts = parts(contextRoot, "/context", "directory");
            addContextRoot(parts[0], resolve(base, parts[1]));
        }
    }

    /**
     * Adds mappings of contexts as a configuration file has them.
     *
     * @param base what relative directories are relative to
     * @param contextMappings {@code /context=/prefix/=directory}, separated by commas; null for none
     */
    public void addContextMappings(String base, @Nullable String contextMappings) {
        for (String contextMapping : split(contextMappings)) {
            String[] parts = parts(contextMapping, "/context", "/prefix/", "directory");
            addContextMapping(parts[0], parts[1], resolve(base, parts[2]));
        }
    }

    private static String resolve(String base, String directory) {
        return Path.of(base).resolve(directory).toString();
    }

    /** @param names of the parts; the last part alone may hold an equals sign itself */
    private static String[] parts(String setting, String... names) {
        String[] parts = Arrays.stream(setting.split("=", names.length))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toArray(String[]::new);
        if (parts.length < names.length) {
            throw new IllegalArgumentException("not of the form " + String.join("=", names) + ": " + setting);
        }
        return parts;
    }

    private static List<String> split(@Nullable String list) {
        return list == null
                ? List.of()
                : Arrays.stream(list.split(","))
                        .map(String::strip)
                        .filter(part -> !part.isEmpty())
                        .toList();
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

    @ManagedAttribute("Whether files are sent that fields name; the fields are taken out in any case")
    @Override
    public boolean isEnabled() {
        return enabled;
    }

    /**
     * @param enabled whether files are sent that fields name; the fields are taken out of responses in any case; default true. For
     *     {@link #FILE_ATTRIBUTE} there is {@link #setAttributeRead}
     */
    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    @ManagedAttribute("Whether responses' fields are read; if not, they are left as they are")
    @Override
    public boolean isFieldsRead() {
        return fieldsRead;
    }

    /**
     * @param fieldsRead whether responses may name files by their fields; if not, the fields are left in, for another server in front;
     *     default true
     */
    public void setFieldsRead(boolean fieldsRead) {
        this.fieldsRead = fieldsRead;
    }

    @ManagedAttribute("Whether an attribute of the request may name any file")
    @Override
    public boolean isAttributeRead() {
        return attributeRead;
    }

    /**
     * @param attributeRead whether {@link #FILE_ATTRIBUTE} names files, wherever they are: for servers whose applications are trusted as
     *     the server is; default false
     */
    public void setAttributeRead(boolean attributeRead) {
        this.attributeRead = attributeRead;
    }

    @ManagedAttribute("Whether files are sent that other servers name, whose answers a ProxyHandler fetches")
    @Override
    public boolean isProxied() {
        return proxied;
    }

    /**
     * @param proxied whether files are sent that another server names in an answer that a {@code ProxyHandler} (of
     *     jetty-proxy) below this fetches; default false. That server may name all files below the roots. The fields
     *     are taken out in any case.
     */
    public void setProxied(boolean proxied) {
        this.proxied = proxied;
    }

    /** @param mimeTypes the types of files by extension, for applications that give none; before start */
    public void setMimeTypes(MimeTypes mimeTypes) {
        this.mimeTypes = mimeTypes;
    }

    /** @return how files are kept open and sent; the same for the handler's life */
    public SendfileSettings getSettings() {
        return files.getSettings();
    }

    /** @return what keeps files open and sends them, with its counters; the same for the handler's life */
    public SendfileContentFactory getSendfileContentFactory() {
        return files;
    }

    @Override
    protected void doStart() throws Exception {
        contexts.warnOfMissing();
        resources = ResourceFactory.of(this);
        files.setServer(getServer());
        super.doStart();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        AnswerOrigin origin = contexts.follow(request);
        DelegatingResponse delegating = new DelegatingResponse(contexts, origin, sender, request, response, callback);
        boolean handled = false;
        try {
            handled = super.handle(request, delegating, delegating);
            return handled;
        } finally {
            if (origin != null) {
                origin.handled();
            }
            if (!handled) {
                delegating.strip();
            }
        }
    }

    DelegatedRoots roots() {
        return roots;
    }

    private @Nullable HttpContent find(String key) throws IOException {
        RootedFile file = RootedFile.of(key);
        Resource resource = Files.isRegularFile(file.file()) ? resources.newResource(file.file()) : null;
        if (resource == null) {
            if (roots.warnings().allows()) {
                LOG.warn(
                        "Not sending {}: {}",
                        file,
                        Files.exists(file.file()) ? "it is no regular file" : "there is no such file");
            }
            return null;
        }
        if (roots.realPath(file) == null) {
            return null;
        }
        return new ResourceHttpContent(
                resource,
                mimeTypes.getMimeByExtension(file.file().toString()),
                new ByteBufferPool.Sized(getServer().getByteBufferPool()));
    }
}
