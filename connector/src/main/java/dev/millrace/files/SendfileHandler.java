package dev.millrace.files;

import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.PreCompressedHttpContentFactory;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.http.content.VirtualHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.ResourceHandler;

/**
 * Jetty's {@link ResourceHandler}, sending files by the kernel on connectors of Millrace.
 *
 * <pre>{@code
 * SendfileHandler files = new SendfileHandler();
 * files.setBaseResourceAsString("/srv/files");
 * server.setHandler(files);
 * }</pre>
 */
public class SendfileHandler extends ResourceHandler {
    /** A handler that answers 404 for what it does not find. */
    public SendfileHandler() {
    }

    /** @param handler called for what is not found */
    public SendfileHandler(Handler handler) {
        super(handler);
    }

    // Without Jetty's mapping and caching of contents: both would read or hold every file that is sent by the kernel.
    @Override
    protected HttpContent.Factory newHttpContentFactory(ByteBufferPool.Sized bufferPool) {
        HttpContent.Factory factory = new ResourceHttpContentFactory(getBaseResource(), getMimeTypes(), bufferPool);
        factory = new VirtualHttpContentFactory(factory, getStyleSheet(), "text/css", bufferPool);
        factory = new PreCompressedHttpContentFactory(factory, getPrecompressedFormats());
        return new SendfileContentFactory(factory);
    }
}
