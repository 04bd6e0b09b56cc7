package dev.millrace.files;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** A response of a file, or of a page that says why it is not sent. What is said of the file is not true of the page. */
class FileResponse extends PassiveResponse {
    private static final EnumSet<HttpHeader> OF_THE_FILE =
            EnumSet.of(HttpHeader.CONTENT_ENCODING, HttpHeader.CONTENT_LANGUAGE, HttpHeader.CONTENT_DISPOSITION);

    private Content.@Nullable Sink sink;

    FileResponse(Request request, Response wrapped) {
        super(request, wrapped);
    }

    @Override
    public void setStatus(int code) {
        // Jetty sets these fields before it looks whether the ranges can be satisfied.
        if (code >= HttpStatus.BAD_REQUEST_400) {
            removeFieldsOfTheFile(this);
        }
        super.setStatus(code);
    }

    /** Called for a page that is sent in place of the file. */
    static void removeFieldsOfTheFile(Response response) {
        if (!response.isCommitted()) {
            response.getHeaders().remove(OF_THE_FILE);
        }
    }

    // Jetty writes several ranges of what is no open file as one body. No compression is to have that either.
    @Override
    public void write(boolean last, ByteBuffer bytes, Callback callback) {
        if (sink == null) {
            // Chosen with the first write: once the response is committed there is no way round a compression.
            sink = SendPath.copied(getWrapped(), Obstacle.NOT_A_FILE).sink();
        }
        sink.write(last, bytes, callback);
    }
}
