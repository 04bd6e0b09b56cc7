package dev.millrace.files;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** A response of a file, or of a page that says why it is not sent: what is said of the file is not true of the page. */
class FileResponse extends PassiveResponse {
    private static final EnumSet<HttpHeader> OF_THE_FILE = EnumSet.of(HttpHeader.CONTENT_ENCODING,
            HttpHeader.CONTENT_LANGUAGE, HttpHeader.CONTENT_DISPOSITION);

    private Content.Sink sink;

    FileResponse(Request request, Response wrapped) {
        super(request, wrapped);
    }

    @Override
    public void setStatus(int code) {
        // Jetty sets these fields before it looks whether the ranges can be satisfied.
        if (code >= HttpStatus.BAD_REQUEST_400 && !isCommitted()) {
            getHeaders().remove(OF_THE_FILE);
        }
        super.setStatus(code);
    }

    // Several ranges of what is not of an open file: Jetty writes them as one body, which no compression is to have either.
    @Override
    public void write(boolean last, ByteBuffer bytes, Callback callback) {
        if (sink == null) {
            // Once and for all: a response that is committed has no way round a compression any more.
            sink = Route.copied(getWrapped()).sink();
        }
        sink.write(last, bytes, callback);
    }
}
