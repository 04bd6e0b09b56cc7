package dev.millrace.files;

import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.http.content.VirtualHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.ResourceService;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's {@link ResourceHandler}, sending files by the kernel on connectors of Millrace. All its settings work, but
 * those of mapped files, which have no effect.
 *
 * <pre>{@code
 * SendfileHandler files = new SendfileHandler();
 * files.setBaseResourceAsString("/srv/files");
 * server.setHandler(files);
 * }</pre>
 *
 * <p>A file is taken to be unchanged for a second, as by Jetty's handler ({@link SendfileSettings#setValidMillis}). A missing one is
 * looked for with each request.
 *
 * <p>Beyond Jetty's: {@code If-Range} is honoured, the number of ranges is bounded, and the parts of an answer with
 * multiple ranges go by the kernel too.
 *
 * <p>In a {@code ContextHandler} the context's alias checks decide about links. Without one, a file must lie below the
 * base by its real path.
 */
public class SendfileHandler extends ResourceHandler {
    private static final long VALID_MILLIS = 1000;

    /** Null before the start. */
    private HttpContent.@Nullable Factory found;

    private final SendfileContentFactory sendfile = new SendfileContentFactory(this::find);

    /** A handler that answers 404 for what it does not find. */
    public SendfileHandler() {
        this(null);
    }

    /** @param handler called for what is not found */
    public SendfileHandler(@Nullable Handler handler) {
        super(handler);
        // As Jetty's handler does; its servlets look at the file for each request.
        getSettings().setValidMillis(VALID_MILLIS);
    }

    private @Nullable HttpContent find(String path) throws IOException {
        HttpContent.Factory factory = found;
        // Jetty's resources would make question marks of letters that take two chars in UTF-16.
        return factory == null ? null : factory.getContent(EncodedPath.of(path));
    }

    /** @return how files are kept open and sent; the same for the handler's life */
    public SendfileSettings getSettings() {
        return sendfile.getSettings();
    }

    /** @return what keeps files open and sends them, with its counters; the same for the handler's life */
    public SendfileContentFactory getSendfileContentFactory() {
        return sendfile;
    }

    @Override
    protected ResourceService newResourceService() {
        return new FilesService(this::getSettings, () -> sendfile.isRunning());
    }

    // Jetty's mapping and caching of contents are left out: they would read or hold each file that the kernel sends.
    @Override
    protected HttpContent.Factory newHttpContentFactory(ByteBufferPool.Sized bufferPool) {
        HttpContent.Factory factory = ContextHandler.getCurrentContextHandler() == null
                ? contained(bufferPool)
                : checkedByContext(bufferPool);
        found = new VirtualHttpContentFactory(factory, getStyleSheet(), "text/css", bufferPool);
        sendfile.setServer(getServer());
        sendfile.setVariants(getPrecompressedFormats());
        sendfile.openFiles().setFinder(CombinedFinder.of(getBaseResource(), this::find));
        return sendfile;
    }

    private HttpContent.Factory checkedByContext(ByteBufferPool.Sized bufferPool) {
        // This may have been started without a context before.
        sendfile.setContainment(null);
        return new ResourceHttpContentFactory(getBaseResource(), getMimeTypes(), bufferPool);
    }

    private HttpContent.Factory contained(ByteBufferPool.Sized bufferPool) {
        ContainedContentFactory factory = new ContainedContentFactory(getBaseResource(), getMimeTypes(), bufferPool);
        Path styleSheet = getStyleSheet() == null ? null : getStyleSheet().getPath();
        sendfile.setContainment((path, file) -> file.equals(styleSheet) ? file.toRealPath() : factory.realPath(file));
        return factory;
    }
}
