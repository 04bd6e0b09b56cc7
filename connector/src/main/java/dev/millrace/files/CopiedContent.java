package dev.millrace.files;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Content that is not of an open file: Jetty copies it, which is counted. */
final class CopiedContent extends HttpContent.Wrapper {
    private final Mount mount;

    CopiedContent(Mount mount, HttpContent found) {
        super(found);
        this.mount = mount;
    }

    /** Whether it is a file of the default file system that our factory could not open, such as one that may not be read. */
    static boolean isUnopened(HttpContent content) {
        Path path = content.getResource().getPath();
        return path != null
                && path.getFileSystem() == FileSystems.getDefault()
                && !(content.getResource() instanceof FileResource);
    }

    @Override
    public void writeTo(Content.Sink to, long offset, long length, Callback callback) {
        if (to instanceof Response response
                && HttpMethod.HEAD.is(response.getRequest().getMethod())) {
            super.writeTo(SendPath.copied(to, Obstacle.NOT_A_FILE).sink(), offset, length, callback);
            return;
        }
        Content.Sink sink = SendPath.pastServlet(to);
        SendPath sendPath = SendPath.copied(sink, Obstacle.NOT_A_FILE);
        long bytes = length < 0 ? getContentLengthValue() - offset : length;
        mount.onAnswer(sink, sendPath.obstacle(), getResource(), offset, bytes);
        // Jetty's own writing does not tell of each piece.
        Callback counted = new Callback.Nested(callback) {
            @Override
            public void succeeded() {
                mount.onCopied(sendPath.copiedBy(), Math.max(0, bytes));
                super.succeeded();
            }
        };
        super.writeTo(sendPath.sink(), offset, length, counted);
    }
}
