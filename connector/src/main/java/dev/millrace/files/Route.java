package dev.millrace.files;

import dev.millrace.transfer.TransferEndPoint;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The way a response takes to the socket: an end point that can transfer, or the obstacle.
 *
 * @param endPoint null when there is an obstacle
 * @param sink what to write to: beyond a compression that is of no use for this content
 * @param obstacle null when there is none
 */
record Route(TransferEndPoint endPoint, Content.Sink sink, Obstacle obstacle) {
    /** What a wrapper of a response does to the content that is written to it. */
    private enum Layer {
        /** Passes it on, and that is all. */
        PASSIVE,
        /** Passes it on, but wants to know of it. */
        WATCHING,
        COMPRESSING,
        /** The last one: Jetty's own response. */
        CHANNEL,
        /** Unknown: may change it, and then must not meet a token. */
        OPAQUE
    }

    private static final Set<String> PASSIVE = Set.of(
            "org.eclipse.jetty.ee10.servlet.ServletContextResponse",
            "org.eclipse.jetty.ee11.servlet.ServletContextResponse",
            "org.eclipse.jetty.server.handler.ContextResponse");
    private static final Set<String> WATCHING = Set.of(
            "org.eclipse.jetty.server.handler.EventsHandler$EventsResponse",
            "org.eclipse.jetty.server.handler.MinimumDataRateHandler$MinimumDataRateResponse",
            "org.eclipse.jetty.server.handler.SizeLimitHandler$SizeLimitResponseWrapper",
            "org.eclipse.jetty.server.handler.StateTrackingHandler$ResponseWrapper");
    private static final String COMPRESSING = "org.eclipse.jetty.compression.server.internal.CompressionResponse";
    private static final String CHANNEL = "org.eclipse.jetty.server.internal.HttpChannelState$ChannelResponse";

    private static final ClassValue<Layer> LAYERS = new ClassValue<>() {
        @Override
        protected Layer computeValue(Class<?> type) {
            String name = type.getName();
            if (PassiveResponse.class.isAssignableFrom(type) || PASSIVE.contains(name)) {
                return Layer.PASSIVE;
            }
            if (WATCHING.contains(name)) {
                return Layer.WATCHING;
            }
            return name.equals(COMPRESSING) ? Layer.COMPRESSING : name.equals(CHANNEL) ? Layer.CHANNEL : Layer.OPAQUE;
        }
    };

    private static Route blocked(Content.Sink sink, Obstacle obstacle) {
        return new Route(null, sink, obstacle);
    }

    /**
     * @param sink what the content is written to
     * @param bytes the content's length
     * @param isCompressible whether a compression in between is to have it
     * @return the way, or what is in the way
     */
    static Route of(Content.Sink sink, long bytes, boolean isCompressible) {
        Content.Sink target = sink instanceof Response response ? target(response, isCompressible) : null;
        if (target == null) {
            return blocked(sink, Obstacle.WRAPPED);
        }
        Response response = (Response) sink;
        ConnectionMetaData connection = response.getRequest().getConnectionMetaData();
        if (!(connection.getConnection().getEndPoint() instanceof TransferEndPoint endPoint)) {
            return blocked(target, Obstacle.END_POINT);
        }
        if (connection.getHttpVersion().getVersion() > HttpVersion.HTTP_1_1.getVersion()) {
            return blocked(target, Obstacle.PROTOCOL);
        }
        if (response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH) != bytes) {
            return blocked(target, Obstacle.LENGTH);
        }
        return new Route(endPoint, target, null);
    }

    /** Whether somebody on the way may compress what is written, or change it otherwise. */
    static boolean mayChangeContent(Response response) {
        return target(response, true) == null;
    }

    static Route copied(Content.Sink sink) {
        return blocked(beyondCompressionOfRanges(sink), Obstacle.NOT_A_FILE);
    }

    static Route small(Content.Sink sink) {
        return blocked(beyondCompressionOfRanges(sink), Obstacle.SMALL);
    }

    /** This way for a small content: the end point writes it with the header. */
    Route gathered() {
        return new Route(endPoint, sink, Obstacle.GATHERED);
    }

    /** This way for a file without a mapping: there is no token for it. */
    Route unmapped() {
        return blocked(sink, Obstacle.UNMAPPED);
    }

    static Route cached(Content.Sink sink) {
        return blocked(beyondCompressionOfRanges(sink), Obstacle.CACHED);
    }

    // A range is one of the bytes as they are: what compresses it makes it wrong.
    static boolean isRange(Content.Sink sink) {
        return sink instanceof Response response && response.getStatus() == HttpStatus.PARTIAL_CONTENT_206;
    }

    /** Whether content that is written goes nowhere: that of a HEAD, unless its length is yet to be counted, as of an include. */
    static boolean isHeadOnly(Content.Sink sink) {
        return sink instanceof Response response && HttpMethod.HEAD.is(response.getRequest().getMethod())
                && response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH) >= 0;
    }

    /**
     * Ends a write that somebody has given up while it is pending, as Jetty's MinimumDataRateHandler does without ending it. Where
     * nothing is committed, what was to be written has not come as far as the end point.
     */
    static void cancelWrite(Content.Sink sink, EndPoint endPoint, Throwable cause) {
        Callback pending = sink instanceof Response response && response.isCommitted() ? endPoint.cancelWrite(cause) : null;
        if (pending != null) {
            pending.failed(cause);
        }
    }

    private static Content.Sink beyondCompressionOfRanges(Content.Sink sink) {
        Content.Sink target = isRange(sink) ? target((Response) sink, false) : sink;
        return target == null ? sink : target;
    }

    /** What to write to, so that nobody changes the content; null when somebody may. */
    private static Content.Sink target(Response response, boolean isCompressible) {
        Content.Sink target = response;
        MeasuredResponse measured = null;
        boolean isWatched = false;
        for (Response current = response; ; current = ((Response.Wrapper) current).getWrapped()) {
            Layer layer = LAYERS.get(current.getClass());
            if (layer == Layer.CHANNEL) {
                return target;
            }
            boolean isBypassable = !isCompressible && !isWatched && !current.isCommitted();
            if (!(current instanceof Response.Wrapper wrapper) || layer == Layer.OPAQUE
                    || current instanceof DelegatingResponse delegating && delegating.isDelegated()
                    || layer == Layer.COMPRESSING && !isBypassable) {
                return null;
            }
            isWatched |= layer == Layer.WATCHING;
            if (current instanceof MeasuredResponse found) {
                measured = found;
            }
            if (layer == Layer.COMPRESSING) {
                target = measured == null ? wrapper.getWrapped() : measured.over(wrapper.getWrapped());
            }
        }
    }
}
