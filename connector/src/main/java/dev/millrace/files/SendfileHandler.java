package dev.millrace.files;

import java.nio.file.Path;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.http.content.VirtualHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.ResourceService;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ResourceHandler;

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
 * <p>Beyond Jetty's: {@code If-Range} is honoured, the number of ranges is bounded, and the parts of an answer with
 * multiple ranges go by the kernel too.
 *
 * <p>In a {@code ContextHandler} the context's alias checks decide about links. Without one, a file must lie below the
 * base by its real path.
 */
public class SendfileHandler extends ResourceHandler {
    private HttpContent.Factory found;
    private final SendfileContentFactory sendfile = new SendfileContentFactory(path -> found.getContent(path));

    /** A handler that answers 404 for what it does not find. */
    public SendfileHandler() {
    }

    /** @param handler called for what is not found */
    public SendfileHandler(Handler handler) {
        super(handler);
    }

    /** @return what keeps files open and sends them, with its settings and counters; the same for the handler's life */
    public SendfileContentFactory getSendfileContentFactory() {
        return sendfile;
    }

    @Override
    protected ResourceService newResourceService() {
        return new FilesService(this::getSendfileContentFactory, this::getServer);
    }

    // Without Jetty's mapping and caching of contents: both would read or hold every file that is sent by the kernel.
    @Override
    protected HttpContent.Factory newHttpContentFactory(ByteBufferPool.Sized bufferPool) {
        HttpContent.Factory factory = ContextHandler.getCurrentContextHandler() == null ? contained(bufferPool)
                : checkedByContext(bufferPool);
        found = new VirtualHttpContentFactory(factory, getStyleSheet(), "text/css", bufferPool);
        sendfile.setServer(getServer());
        return new VariantsContentFactory(sendfile, getPrecompressedFormats());
    }

    private HttpContent.Factory checkedByContext(ByteBufferPool.Sized bufferPool) {
        // This may have been started without a context before.
        sendfile.openFiles().setContainment(null);
        return new ResourceHttpContentFactory(getBaseResource(), getMimeTypes(), bufferPool);
    }

    private HttpContent.Factory contained(ByteBufferPool.Sized bufferPool) {
        ContainedContentFactory factory = new ContainedContentFactory(getBaseResource(), getMimeTypes(), bufferPool);
        Path styleSheet = getStyleSheet() == null ? null : getStyleSheet().getPath();
        sendfile.openFiles().setContainment((file, real) -> file.equals(styleSheet) || factory.contains(file, real));
        return factory;
    }
}
