package dev.millrace.files;

import java.io.IOException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ResourceService;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** Jetty's service of files, with bounded ranges, {@code If-Range}, and the parts of multiple ranges by the kernel. */
final class FilesService extends ResourceService {
    private final SendfileHandler handler;

    FilesService(SendfileHandler handler) {
        this.handler = handler;
    }

    @Override
    public void doGet(Request request, Response response, Callback callback, HttpContent content) {
        String range = request.getHeaders().get(HttpHeader.RANGE);
        if (range == null) {
            super.doGet(request, response, callback, content);
        } else if (!handler.getSendfileContentFactory().acceptsRanges(request.getHeaders(), content)) {
            super.doGet(new Whole(request), response, callback, content);
        } else if (range.indexOf(',') > 0 && content.getResource() instanceof FileResource resource) {
            sendRanges(request, response, callback, content, resource);
        } else {
            super.doGet(request, response, callback, content);
        }
    }

    private void sendRanges(Request request, Response response, Callback callback, HttpContent content,
            FileResource resource) {
        OpenFile file;
        try {
            file = resource.acquire();
        } catch (IOException x) {
            writeHttpError(request, response, callback, x);
            return;
        }
        RangesResponse ranges = new RangesResponse(request, response, handler.getSendfileContentFactory(), file);
        super.doGet(request, ranges, Callback.from(file::release, callback), ranges.content(content, resource));
    }

    // No error: Jetty's error handler forbids caching, and RFC 9110 section 15.4.5 wants the fields that a 200 would have.
    @Override
    protected void writeHttpError(Request request, Response response, Callback callback, int status) {
        if (status == HttpStatus.NOT_MODIFIED_304) {
            response.setStatus(status);
            response.write(true, BufferUtil.EMPTY_BUFFER, callback);
        } else {
            super.writeHttpError(request, response, callback, status);
        }
    }

    @Override
    protected void rehandleWelcome(Request request, Response response, Callback callback, String target)
            throws Exception {
        HttpURI uri = HttpURI.build(request.getHttpURI()).pathQuery(target);
        if (!handler.getServer().handle(Request.serveAs(request, uri), response, callback)) {
            super.rehandleWelcome(request, response, callback, target);
        }
    }

    /** A request for the whole of what it asked ranges of. */
    private static final class Whole extends Request.Wrapper {
        private final HttpFields headers;

        private Whole(Request wrapped) {
            super(wrapped);
            HttpFields.Mutable kept = HttpFields.build();
            for (HttpField field : wrapped.getHeaders()) {
                if (field.getHeader() != HttpHeader.RANGE) {
                    kept.add(field);
                }
            }
            headers = kept.asImmutable();
        }

        @Override
        public HttpFields getHeaders() {
            return headers;
        }
    }
}
