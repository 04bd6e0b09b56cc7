package dev.millrace.files;

import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Content that is not of an open file: Jetty copies it, which is counted. */
final class CopiedContent extends HttpContent.Wrapper {
    private final SendfileStatistics statistics;

    CopiedContent(HttpContent found, SendfileStatistics statistics) {
        super(found);
        this.statistics = statistics;
    }

    @Override
    public void writeTo(Content.Sink sink, long offset, long length, Callback callback) {
        SendPath sendPath = SendPath.copied(sink);
        if (!(sink instanceof Response response
                && HttpMethod.HEAD.is(response.getRequest().getMethod()))) {
            statistics.onAnswer(
                    sink,
                    sendPath.obstacle(),
                    getResource(),
                    offset,
                    length < 0 ? getContentLengthValue() - offset : length);
        }
        super.writeTo(sendPath.sink(), offset, length, callback);
    }
}
