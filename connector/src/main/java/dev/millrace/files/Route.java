package dev.millrace.files;

import dev.millrace.transfer.TransferEndPoint;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Response;

/**
 * The way a response takes to the socket: an end point that can transfer, or the obstacle.
 *
 * @param endPoint null when there is an obstacle
 * @param obstacle null when there is none
 */
record Route(TransferEndPoint endPoint, Obstacle obstacle) {
    private static final Route SMALL = new Route(null, Obstacle.SMALL);
    private static final Route OTHER_END_POINT = new Route(null, Obstacle.END_POINT);
    private static final Route OTHER_PROTOCOL = new Route(null, Obstacle.PROTOCOL);
    private static final Route UNKNOWN_LENGTH = new Route(null, Obstacle.LENGTH);
    private static final Route WRAPPED = new Route(null, Obstacle.WRAPPED);

    /** Jetty's wrappers that pass content on as it is. Any other may change it, and then must not meet a token. */
    private static final Set<String> TRANSPARENT = Set.of(
            "org.eclipse.jetty.ee10.servlet.ServletContextResponse",
            "org.eclipse.jetty.ee11.servlet.ServletContextResponse",
            "org.eclipse.jetty.server.handler.ContextResponse",
            "org.eclipse.jetty.server.handler.EventsHandler$EventsResponse",
            "org.eclipse.jetty.server.handler.MinimumDataRateHandler$MinimumDataRateResponse",
            "org.eclipse.jetty.server.handler.SizeLimitHandler$SizeLimitResponseWrapper",
            "org.eclipse.jetty.server.handler.StateTrackingHandler$ResponseWrapper",
            "org.eclipse.jetty.server.internal.HttpChannelState$ChannelResponse");

    private static final ClassValue<Boolean> IS_TRANSPARENT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return TRANSPARENT.contains(type.getName());
        }
    };

    /**
     * @param sink what the content is written to
     * @param bytes the content's length
     * @param minTransferBytes the least length that is worth a transfer
     * @return the way, or what is in the way
     */
    static Route of(Content.Sink sink, long bytes, long minTransferBytes) {
        if (bytes < minTransferBytes) {
            return SMALL;
        }
        if (!(sink instanceof Response response) || !isTransparent(response)) {
            return WRAPPED;
        }
        ConnectionMetaData connection = response.getRequest().getConnectionMetaData();
        if (!(connection.getConnection().getEndPoint() instanceof TransferEndPoint endPoint)) {
            return OTHER_END_POINT;
        }
        if (connection.getHttpVersion().getVersion() > HttpVersion.HTTP_1_1.getVersion()) {
            return OTHER_PROTOCOL;
        }
        if (response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH) != bytes) {
            return UNKNOWN_LENGTH;
        }
        return new Route(endPoint, null);
    }

    private static boolean isTransparent(Response response) {
        Response current = response;
        while (IS_TRANSPARENT.get(current.getClass())) {
            if (!(current instanceof Response.Wrapper wrapper)) {
                return true;
            }
            current = wrapper.getWrapped();
        }
        return false;
    }
}
