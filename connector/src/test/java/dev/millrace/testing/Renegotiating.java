package dev.millrace.testing;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Begins another handshake, and answers: the write needs the peer's bytes. */
public final class Renegotiating extends Handler.Abstract {
    /** TLS that has another handshake than the first. */
    public static SslConnectionFactory over(Connectors connectors, Tls tls) {
        SslContextFactory.Server older = tls.server();
        // 1.3 knows no other handshake than the first (RFC 8446, 4.1.2).
        older.setIncludeProtocols("TLSv1.2");
        older.setRenegotiationAllowed(true);
        return connectors.tls(older, "http/1.1");
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        SslConnection.SslEndPoint endPoint = (SslConnection.SslEndPoint) EndPoints.of(request);
        endPoint.getSslConnection().getSSLEngine().beginHandshake();
        Content.Sink.write(response, true, ByteBuffer.wrap("again".getBytes(StandardCharsets.US_ASCII)));
        callback.succeeded();
        return true;
    }
}
