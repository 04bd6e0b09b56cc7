package dev.millrace.conformance.fuzz;

import java.nio.ByteBuffer;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;

/** Sends back every message of a WebSocket. */
public final class EchoSocket implements Session.Listener.AutoDemanding {
    private Session session;

    @Override
    public void onWebSocketOpen(Session opened) {
        session = opened;
    }

    @Override
    public void onWebSocketText(String message) {
        session.sendText(message, Callback.NOOP);
    }

    /** Does nothing: the fuzzer breaks rules on purpose, and compares the close frames that answer it. */
    @Override
    public void onWebSocketError(Throwable cause) {}

    @Override
    public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
        ByteBuffer copy = ByteBuffer.allocate(payload.remaining()).put(payload).flip();
        session.sendBinary(copy, Callback.NOOP);
        callback.succeed();
    }
}
