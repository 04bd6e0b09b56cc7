package dev.millrace.files;

import java.util.EnumSet;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** A response of a file, or of a page that says why it is not sent: what is said of the file is not true of the page. */
class FileResponse extends PassiveResponse {
    private static final EnumSet<HttpHeader> OF_THE_FILE = EnumSet.of(HttpHeader.CONTENT_ENCODING,
            HttpHeader.CONTENT_LANGUAGE, HttpHeader.CONTENT_DISPOSITION);

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
}
