package dev.millrace.connector;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;

/**
 * Knows for which requests of HTTP/2 the application waits for content, which Jetty's session keeps to itself: while the
 * connector runs it is a customizer of these requests, and notes what their streams are asked for.
 *
 * <p>Requests of gRPC are left alone, whose streams may say little for hours, and so is who has begun to answer: both sides of a
 * stream may talk at once (RFC 9113 section 5), and then nobody but the application knows whose turn it is.
 *
 * <p>Used only where there is HTTP/2. Asked for by the threads of requests; counted by the scheduler's.
 */
final class AwaitedContent implements HttpConfiguration.Customizer {
    private static final String GRPC = "application/grpc";

    private final MillraceConnector connector;
    private final Set<AskedStream> asked = ConcurrentHashMap.newKeySet();

    AwaitedContent(MillraceConnector connector) {
        this.connector = connector;
    }

    /** A stream of which content has been asked, until its request has ended. */
    private final class AskedStream extends HttpStream.Wrapper {
        private final Connection connection;
        private final boolean mayBeSilent;
        private volatile boolean waiting;

        private AskedStream(HttpStream stream, Connection connection, boolean mayBeSilent) {
            super(stream);
            this.connection = connection;
            this.mayBeSilent = mayBeSilent;
            if (mayBeSilent) {
                FrameWatch.setMayBeSilent(connection, Integer.parseInt(getId()));
            }
        }

        @Override
        public void demand() {
            asked.add(this);
            // Before Jetty knows, whose answer may come on another thread at once.
            waiting = true;
            connector.mayWait();
            super.demand();
        }

        @Override
        public Content.Chunk read() {
            waiting = false;
            return super.read();
        }

        @Override
        public void succeeded() {
            asked.remove(this);
            super.succeeded();
        }

        @Override
        public void failed(Throwable x) {
            asked.remove(this);
            super.failed(x);
        }

        private boolean waitsForPeer() {
            return waiting && !mayBeSilent && !isCommitted() && FrameWatch.mayHaveContent(connection, Integer.parseInt(getId()));
        }
    }

    void start() {
        for (ConnectionFactory factory : connector.getConnectionFactories()) {
            // Protocols may share a configuration.
            if (factory instanceof AbstractHTTP2ServerConnectionFactory http2 && !customizers(http2).contains(this)) {
                customizers(http2).add(this);
            }
        }
    }

    void stop() {
        for (ConnectionFactory factory : connector.getConnectionFactories()) {
            if (factory instanceof AbstractHTTP2ServerConnectionFactory http2) {
                customizers(http2).remove(this);
            }
        }
    }

    private static List<HttpConfiguration.Customizer> customizers(AbstractHTTP2ServerConnectionFactory http2) {
        return http2.getHttpConfiguration().getCustomizers();
    }

    @Override
    public Request customize(Request request, HttpFields.Mutable responseHeaders) {
        ConnectionMetaData meta = request.getConnectionMetaData();
        // The configuration may be shared with HTTP/1.1, and with other connectors.
        if (meta.getHttpVersion() == HttpVersion.HTTP_2 && meta.getConnector() == connector
                && !HttpMethod.CONNECT.is(request.getMethod())) {
            boolean mayBeSilent = isGrpc(request);
            request.addHttpStreamWrapper(stream -> new AskedStream(stream, meta.getConnection(), mayBeSilent));
        }
        return request;
    }

    private static boolean isGrpc(Request request) {
        String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        return type != null && type.regionMatches(true, 0, GRPC, 0, GRPC.length());
    }

    /** @return how many requests of a connection wait for their peer's content at this moment, where there are any */
    Map<Connection, Integer> count() {
        if (asked.isEmpty()) {
            return Collections.emptyMap();
        }
        Map<Connection, Integer> waiting = new HashMap<>();
        for (AskedStream stream : asked) {
            if (!stream.connection.getEndPoint().isOpen()) {
                // An application may never end its request.
                asked.remove(stream);
            } else if (stream.waitsForPeer()) {
                waiting.merge(stream.connection, 1, Integer::sum);
            }
        }
        return waiting;
    }
}
