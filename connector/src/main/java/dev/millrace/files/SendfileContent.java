package dev.millrace.files;

import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** Content that knows the way of a file by the kernel, and falls back to what it wraps. */
final class SendfileContent extends HttpContent.Wrapper {
    private final SendfileContentFactory factory;
    private final Path path;

    SendfileContent(SendfileContentFactory factory, HttpContent content, Path path) {
        super(content);
        this.factory = factory;
        this.path = path;
    }

    @Override
    public void writeTo(Content.Sink sink, long offset, long length, Callback callback) {
        long bytes = length < 0 ? getContentLengthValue() - offset : length;
        if (sink instanceof Response response && HttpMethod.HEAD.is(response.getRequest().getMethod())) {
            sink.write(true, BufferUtil.EMPTY_BUFFER, callback);
            return;
        }
        Route route = Route.of(sink, bytes);
        if (route.obstacle() != null) {
            copy(route.obstacle(), sink, offset, length, callback);
        } else if (bytes < factory.getMinTransferBytes()) {
            copy(Obstacle.SMALL, sink, offset, length, callback);
        } else {
            transfer(route, sink, offset, bytes, callback);
        }
    }

    private void copy(Obstacle obstacle, Content.Sink sink, long offset, long length, Callback callback) {
        factory.onCopied(obstacle);
        super.writeTo(sink, offset, length, callback);
    }

    private void transfer(Route route, Content.Sink sink, long offset, long bytes, Callback callback) {
        RegionWriter writer;
        try {
            OpenFile file = factory.openFiles().acquire(path, getContentLengthValue(), getLastModifiedInstant());
            writer = new RegionWriter(route.endPoint(), sink, file, offset, bytes, callback);
        } catch (IOException x) {
            callback.failed(x);
            return;
        }
        factory.onTransferred();
        writer.iterate();
    }
}
