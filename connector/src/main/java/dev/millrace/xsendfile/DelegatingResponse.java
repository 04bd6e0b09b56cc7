package dev.millrace.xsendfile;

import dev.millrace.files.PassiveResponse;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The response that an application writes to, and the callback that it completes. With the first write or the
 * completion it is decided whether a file is sent instead. Then the application's writes lead nowhere, and its
 * completion begins the transfer.
 *
 * <p>An interim response, of status 103 for example, goes to the client, without our fields.
 */
final class DelegatingResponse extends PassiveResponse implements Callback {
    private final DelegatingContexts contexts;
    private final @Nullable AnswerOrigin origin;
    private final FileSender sender;
    private final Callback callback;
    /** Fields that handlers around have set, as for Cross-Origin Resource Sharing: an error page keeps these. */
    private final HttpFields around;
    // A response is written to by one thread at a time.
    private volatile boolean isDecided;
    private volatile @Nullable DelegatedFile delegated;
    private volatile boolean hasDiscarded;

    /** @param origin null when all answers are the same */
    DelegatingResponse(
            DelegatingContexts contexts,
            @Nullable AnswerOrigin origin,
            FileSender sender,
            Request request,
            Response wrapped,
            Callback callback) {
        super(request, wrapped);
        this.contexts = contexts;
        this.origin = origin;
        this.sender = sender;
        this.callback = callback;
        this.around = wrapped.getHeaders().asImmutable();
    }

    /** Takes our fields out of what may yet be sent. */
    void strip() {
        if (!isCommitted()) {
            contexts.strip(getHeaders());
        }
    }

    // Asked for the first time, it decides whether a file is sent.
    @Override
    protected boolean isDiscarding() {
        if (!isDecided && !isCommitted()) {
            boolean isSuccess = getStatus() == 0 || getStatus() == HttpStatus.OK_200;
            if (isSuccess) {
                delegated = contexts.take(origin, getRequest(), getHeaders());
            } else {
                strip();
            }
            isDecided = true;
        }
        return delegated != null;
    }

    @Override
    public void write(boolean last, ByteBuffer bytes, Callback written) {
        if (!isDiscarding()) {
            // A handler around may buffer what is written: fields that are set after the first write leave too.
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
        contexts.strip(kept);
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
        getRequest().removeAttribute(DelegatedFile.ATTRIBUTE);
        isDecided = false;
        delegated = null;
        hasDiscarded = false;
    }

    @Override
    public void succeeded() {
        DelegatedFile file = isDiscarding() ? delegated : null;
        // The application may have set our fields again since it was decided.
        strip();
        if (file == null) {
            callback.succeeded();
        } else {
            sender.send(file, hasDiscarded, around, getRequest(), getWrapped(), callback);
        }
    }

    @Override
    public void failed(Throwable cause) {
        strip();
        callback.failed(cause);
    }

    @Override
    public InvocationType getInvocationType() {
        // The thread that completes the response opens the file.
        return InvocationType.BLOCKING;
    }
}
