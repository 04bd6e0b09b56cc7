package dev.millrace.files;

import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/**
 * A response that hands on the very buffers that are written to it, without reading them or keeping them. Behind it, files still go
 * by the kernel; behind other wrappers they are copied. What it does besides, it also does to content that {@link #bypass bypasses} it.
 *
 * <p>Used, as any response, by one thread at a time.
 */
public class PassiveResponse extends Response.Wrapper {
    /**
     * @param request of this response
     * @param wrapped where what is written goes on to
     */
    protected PassiveResponse(Request request, Response wrapped) {
        super(request, wrapped);
    }

    /** Whether content that is written to this response goes no further. Asked before the first write, and maybe again. */
    protected boolean isDiscarding() {
        return false;
    }

    /**
     * Called when content is to be written past this response and a compression below it.
     *
     * @param below what content is written to that bypasses this response
     * @return what to write it to instead
     */
    protected Content.Sink bypass(Content.Sink below) {
        return below;
    }
}
