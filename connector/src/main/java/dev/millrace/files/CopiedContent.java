package dev.millrace.files;

import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Content that is not of an open file: Jetty copies it, which is counted. */
final class CopiedContent extends HttpContent.Wrapper {
    private final Ways ways;

    CopiedContent(HttpContent found, Ways ways) {
        super(found);
        this.ways = ways;
    }

    @Override
    public void writeTo(Content.Sink sink, long offset, long length, Callback callback) {
        Route route = Route.copied(sink);
        if (!(sink instanceof Response response && HttpMethod.HEAD.is(response.getRequest().getMethod()))) {
            ways.onRoute(sink, route, getResource(), offset,
                    length < 0 ? getContentLengthValue() - offset : length);
        }
        super.writeTo(route.sink(), offset, length, callback);
    }
}
