package dev.millrace.files;

import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** A write of memory that others use afterwards: gives it back when nobody can send from it any more. */
final class CountedWrite extends Callback.Nested {
    private final Runnable release;
    private final Content.Sink sink;

    CountedWrite(Runnable release, Content.Sink sink, Callback callback) {
        super(callback);
        this.release = release;
        this.sink = sink;
    }

    @Override
    public void succeeded() {
        release.run();
        super.succeeded();
    }

    @Override
    public void failed(Throwable x) {
        try {
            cancelWrite(x);
        } finally {
            release.run();
            super.failed(x);
        }
    }

    private void cancelWrite(Throwable cause) {
        if (!(sink instanceof Response response) || !response.isCommitted()) {
            return;
        }
        ConnectionMetaData connection = response.getRequest().getConnectionMetaData();
        // HTTP/2 writes for others too.
        if (connection.getHttpVersion().getVersion() <= HttpVersion.HTTP_1_1.getVersion()) {
            Route.cancelWrite(sink, connection.getConnection().getEndPoint(), cause);
        }
    }
}
