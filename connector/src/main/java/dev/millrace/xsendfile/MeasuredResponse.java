package dev.millrace.xsendfile;

import dev.millrace.files.PassiveResponse;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Counts the bytes of content that the network took: of a write that failed, what had left its buffer by then. */
final class MeasuredResponse extends PassiveResponse {
    // Only one write at a time is pending, and changes this.
    private volatile long bytes;

    MeasuredResponse(Request request, Response wrapped) {
        super(request, wrapped);
    }

    long bytes() {
        return bytes;
    }

    @Override
    protected Content.Sink bypass(Content.Sink below) {
        return (last, buffer, callback) -> write(below, last, buffer, callback);
    }

    @Override
    public void write(boolean last, ByteBuffer buffer, Callback callback) {
        write(getWrapped(), last, buffer, callback);
    }

    private void write(Content.Sink sink, boolean last, ByteBuffer buffer, Callback callback) {
        if (buffer == null || !buffer.hasRemaining()) {
            sink.write(last, buffer, callback);
            return;
        }
        long before = bytes + buffer.remaining();
        sink.write(last, buffer, Callback.from(() -> bytes = before - buffer.remaining(), callback));
    }
}
