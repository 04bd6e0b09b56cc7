package dev.millrace.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.URIUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The response that an application writes to, and the callback that it completes. With the first write or the
 * completion it is decided whether a file is sent instead: then the application's writes lead nowhere, and its
 * completion begins the transfer.
 *
 * <p>An interim response, of status 103 for example, goes to the client, without our fields.
 */
final class DelegatingResponse extends PassiveResponse implements Callback {
    private static final EnumSet<HttpHeader> OF_WHOLE_FILES = EnumSet.of(HttpHeader.RANGE, HttpHeader.IF_RANGE,
            HttpHeader.IF_MATCH, HttpHeader.IF_NONE_MATCH, HttpHeader.IF_MODIFIED_SINCE,
            HttpHeader.IF_UNMODIFIED_SINCE);

    private static final Logger LOG = LoggerFactory.getLogger(DelegatingResponse.class);

    private final XSendfileHandler handler;
    private final Callback callback;
    // A response is written to by one thread at a time.
    private volatile boolean isDecided;
    private volatile DelegatedFile delegated;
    private volatile boolean hasDiscarded;

    DelegatingResponse(XSendfileHandler handler, Request request, Response wrapped, Callback callback) {
        super(request, wrapped);
        this.handler = handler;
        this.callback = callback;
    }

    /** Takes our fields out of what may yet be sent. */
    void strip() {
        if (!isCommitted()) {
            DelegatedFile.strip(getHeaders());
        }
    }

    /** Decides, when that is not done yet. */
    boolean isDelegated() {
        if (!isDecided && !isCommitted()) {
            int status = getStatus();
            if (handler.isEnabled() && (status == 0 || status == HttpStatus.OK_200)) {
                delegated = DelegatedFile.take(getHeaders(), handler.roots());
            } else {
                strip();
            }
            isDecided = true;
        }
        return delegated != null;
    }

    @Override
    public void write(boolean last, ByteBuffer bytes, Callback written) {
        if (!isDelegated()) {
            // Where somebody outside buffers, fields that are set after the first write leave too.
            strip();
            super.write(last, bytes, written);
            return;
        }
        if (BufferUtil.hasContent(bytes)) {
            hasDiscarded = true;
            bytes.position(bytes.limit());
        }
        written.succeeded();
    }

    @Override
    public CompletableFuture<Void> writeInterim(int status, HttpFields headers) {
        HttpFields.Mutable kept = HttpFields.build(headers);
        DelegatedFile.strip(kept);
        return super.writeInterim(status, kept);
    }

    @Override
    public void setStatus(int code) {
        if (code != HttpStatus.OK_200 && !isCommitted()) {
            // The application may have failed after it named the file: what it answers instead is decided anew.
            forget();
        }
        super.setStatus(code);
    }

    @Override
    public void reset() {
        // An error page, for example: what comes next is decided anew.
        forget();
        super.reset();
    }

    private void forget() {
        isDecided = false;
        delegated = null;
        hasDiscarded = false;
    }

    @Override
    public void succeeded() {
        if (isDelegated()) {
            send(delegated);
        } else {
            strip();
            callback.succeeded();
        }
    }

    @Override
    public void failed(Throwable cause) {
        strip();
        callback.failed(cause);
    }

    @Override
    public InvocationType getInvocationType() {
        // The file is opened by who completes the response.
        return InvocationType.BLOCKING;
    }

    private void send(DelegatedFile file) {
        // The application may have set them again since it was decided.
        strip();
        Response response = getWrapped();
        MeasuredResponse measured = new MeasuredResponse(getRequest(), response);
        Callback end = new TransferEnd(handler.listeners(), file, measured, callback);
        try {
            HttpContent content = file.file() == null ? null : handler.content(file.file());
            if (content == null) {
                fail(measured, end, HttpStatus.NOT_FOUND_404);
            } else {
                response.getHeaders().remove(HttpHeader.CONTENT_LENGTH);
                if (hasDiscarded) {
                    // Of what was discarded: a compression between the application and here has compressed it.
                    response.getHeaders().remove(HttpHeader.CONTENT_ENCODING);
                }
                handler.service().doGet(request(), measured, end,
                        DelegatedFile.as(content, response.getHeaders()));
            }
        } catch (AccessDeniedException x) {
            LOG.warn("Not sending {}: it cannot be read", file.file());
            fail(measured, end, HttpStatus.FORBIDDEN_403);
        } catch (IOException | RuntimeException x) {
            if (response.isCommitted()) {
                end.failed(x);
            } else {
                LOG.warn("Not sending {}: {}", file.file(), x.toString());
                fail(measured, end, HttpStatus.INTERNAL_SERVER_ERROR_500);
            }
        }
    }

    private void fail(Response response, Callback end, int status) {
        // The application's fields describe the file that is not sent.
        response.reset();
        Response.writeError(getRequest(), response, end, status);
    }

    /** A request for the file: neither its path nor, if it is a POST for example, its conditions are about the file. */
    private Request request() {
        Request request = getRequest();
        String path = URIUtil.addPaths(request.getContext().getContextPath(), "/file");
        Request served = Request.serveAs(request, HttpURI.build(request.getHttpURI()).path(path).asImmutable());
        String method = request.getMethod();
        return HttpMethod.GET.is(method) || HttpMethod.HEAD.is(method) ? served
                : new WholeRequest(served, OF_WHOLE_FILES);
    }
}
