package dev.millrace.jetty;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.TunnelSupport;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * A stream of HTTP/1.1 whose content a thread that fails its request leaves to others. Jetty has that thread discard what is left. A
 * thread of the application's may read it, or discard it, at that moment: both would give one buffer back (Jetty 12.1.12). The one that
 * completes the request discards it in any case.
 *
 * <p>Not one of Jetty's wrappers: those pass on what is kept back here.
 */
final class LeftContent implements HttpStream {
    private final HttpStream stream;
    private final BooleanSupplier isFailing;

    /** @param isFailing whether the current thread fails the request */
    LeftContent(HttpStream stream, BooleanSupplier isFailing) {
        this.stream = stream;
        this.isFailing = isFailing;
    }

    HttpStream unwrap() {
        return stream;
    }

    @Override
    public @Nullable Throwable consumeAvailable() {
        return isFailing.getAsBoolean() ? CONTENT_NOT_CONSUMED : stream.consumeAvailable();
    }

    @Override
    public String getId() {
        return stream.getId();
    }

    @Override
    public Content.@Nullable Chunk read() {
        return stream.read();
    }

    @Override
    public void demand() {
        stream.demand();
    }

    @Override
    public void prepareResponse(HttpFields.Mutable headers) {
        stream.prepareResponse(headers);
    }

    @Override
    public void send(
            MetaData.Request request,
            MetaData.@Nullable Response response,
            boolean last,
            @Nullable ByteBuffer content,
            Callback callback) {
        stream.send(request, response, last, content, callback);
    }

    @Override
    public @Nullable Runnable cancelSend(Throwable cause, Callback appCallback) {
        return stream.cancelSend(cause, appCallback);
    }

    @Override
    public void push(MetaData.Request resource) {
        stream.push(resource);
    }

    @Override
    public long getIdleTimeout() {
        return stream.getIdleTimeout();
    }

    @Override
    public void setIdleTimeout(long idleTimeoutMs) {
        stream.setIdleTimeout(idleTimeoutMs);
    }

    @Override
    public boolean isCommitted() {
        return stream.isCommitted();
    }

    @Override
    public @Nullable TunnelSupport getTunnelSupport() {
        return stream.getTunnelSupport();
    }

    @Override
    public InvocationType getInvocationType() {
        return stream.getInvocationType();
    }

    @Override
    public void succeeded() {
        stream.succeeded();
    }

    @Override
    public void failed(Throwable x) {
        stream.failed(x);
    }
}
