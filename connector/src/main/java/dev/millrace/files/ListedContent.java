package dev.millrace.files;

import java.nio.file.NoSuchFileException;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Callback;

/**
 * A directory, which is listed or stands for its welcome file, and has no bytes. Its path may have come to lead to a
 * file since it was looked up, by a link out of the root for example. Jetty would send that.
 */
final class ListedContent extends HttpContent.Wrapper {
    ListedContent(HttpContent directory) {
        super(directory);
    }

    @Override
    public void writeTo(Content.Sink sink, long offset, long length, Callback callback) {
        callback.failed(new NoSuchFileException(getResource().getName(), null, "was a directory"));
    }
}
