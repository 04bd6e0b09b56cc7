package dev.millrace.files;

import dev.millrace.jetty.ContentBeforeTrailers;
import dev.millrace.jetty.JettyInternals;
import dev.millrace.jetty.ResponseLayer;
import dev.millrace.jetty.ServletInternals;
import dev.millrace.transfer.FileFailedException;
import dev.millrace.transfer.TransferEndPoint;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.ProxyConnectionFactory.ProxyEndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.EventsHandler;
import org.eclipse.jetty.server.handler.StatisticsHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way a response takes to the socket: an end point that can transfer, or the obstacle.
 *
 * @param endPoint what sends a region for its token; null when it is to be copied. That of TLS is there although it is an obstacle
 * @param response what the content was to be written to; null when it is no response
 * @param sink what to write to: beyond a compression that is of no use for this content
 * @param obstacle null when there is none
 * @param isReadLater whether a buffer may be read when its write has completed. An application may do so that is given it, and a
 *     connection of HTTP/2 whose write a layer has given up
 */
record SendPath(
        @Nullable TransferEndPoint endPoint,
        @Nullable Response response,
        Content.Sink sink,
        @Nullable Obstacle obstacle,
        boolean isReadLater) {
    private static final Logger LOG = LoggerFactory.getLogger(SendPath.class);

    /**
     * What content passes between the response that it is written to and Jetty's channel. Applications may be shown it by ways on which
     * nothing changes: Jetty's EventsHandler, and wrappers of its stream. They may keep a buffer, and read it when its memory is
     * another's, or is gone.
     *
     * @param target what to write to, past all layers that may change the content; null when there is no such way
     * @param areShown whether an application is given the buffers, and may keep them
     * @param areGivenUp whether a layer may fail the callback of a write that is still pending
     */
    private record Layers(Content.@Nullable Sink target, boolean areShown, boolean areGivenUp) {
        private static final ClassValue<Boolean> HANDLERS_THAT_LOOK = new ClassValue<>() {
            @Override
            protected Boolean computeValue(Class<?> handler) {
                return looks(handler, EventsHandler.class, "onResponseWrite");
            }
        };

        private static final ClassValue<Boolean> STREAMS_THAT_LOOK = new ClassValue<>() {
            @Override
            protected Boolean computeValue(Class<?> stream) {
                return HttpStream.Wrapper.class.isAssignableFrom(stream)
                        ? looks(stream, HttpStream.Wrapper.class, "send")
                        : !stream.getName().startsWith("org.eclipse.jetty.");
            }
        };
        private static final ClassValue<ResponseLayer> LAYERS = new ClassValue<>() {
            @Override
            protected ResponseLayer computeValue(Class<?> type) {
                return PassiveResponse.class.isAssignableFrom(type) ? ResponseLayer.PASSIVE : ResponseLayer.of(type);
            }
        };

        /** @param isCompressible whether a compression in between is to have the content */
        static Layers of(Response response, boolean isCompressible) {
            Content.Sink target = response;
            boolean isWatched = false;
            boolean isShown = false;
            boolean isGivenUp = false;
            for (Response current = response; ; current = ((Response.Wrapper) current).getWrapped()) {
                ResponseLayer layer = LAYERS.get(current.getClass());
                if (layer == ResponseLayer.CHANNEL) {
                    return new Layers(target, isShown || areShownInStreamOf(current.getRequest()), isGivenUp);
                }
                if (!(current instanceof Response.Wrapper wrapper) || layer == ResponseLayer.OPAQUE) {
                    return new Layers(null, true, isGivenUp);
                }
                boolean isBypassable = !isCompressible && !isWatched && !current.isCommitted();
                if ((current instanceof PassiveResponse ours && ours.isDiscarding())
                        || (layer == ResponseLayer.COMPRESSING && !isBypassable)) {
                    return new Layers(null, isShown, isGivenUp);
                }
                isWatched |= layer == ResponseLayer.WATCHING
                        || layer == ResponseLayer.IMPATIENT
                        || layer == ResponseLayer.EVENTS;
                isGivenUp |= layer == ResponseLayer.IMPATIENT;
                isShown |= layer == ResponseLayer.EVENTS && areShownBehind(current);
                if (layer == ResponseLayer.COMPRESSING) {
                    target = past(wrapper, response);
                }
            }
        }

        static boolean arePassive(Response response) {
            Response current = response;
            while (current instanceof Response.Wrapper wrapper
                    && LAYERS.get(current.getClass()) == ResponseLayer.PASSIVE) {
                current = wrapper.getWrapped();
            }
            return LAYERS.get(current.getClass()) == ResponseLayer.CHANNEL;
        }

        private static Content.Sink past(Response.Wrapper last, Response first) {
            Content.Sink target = last.getWrapped();
            for (Response current = first; current != last; current = ((Response.Wrapper) current).getWrapped()) {
                if (current instanceof PassiveResponse ours) {
                    target = ours.bypass(target);
                }
            }
            return target;
        }

        /**
         * Whether a class, or one between it and Jetty's, has a method of its own that is given what is written. Jetty's StatisticsHandler
         * looks no further than at its length. Its sessions pass it on, and so do our own streams of HTTP/2.
         */
        private static boolean looks(Class<?> type, Class<?> base, String method) {
            try {
                for (Class<?> current = type; current != base; current = current.getSuperclass()) {
                    if (current != StatisticsHandler.class
                            && current != ContentBeforeTrailers.class
                            && !JettyInternals.isStreamOfSession(current)
                            && Arrays.stream(current.getDeclaredMethods())
                                    .anyMatch(declared -> isGivenContent(declared, method))) {
                        return true;
                    }
                }
                return false;
            } catch (LinkageError x) {
                LOG.debug("Cannot look at {}", type, x);
                return true;
            }
        }

        private static boolean isGivenContent(Method declared, String name) {
            return declared.getName().startsWith(name)
                    && Arrays.asList(declared.getParameterTypes()).contains(ByteBuffer.class);
        }

        /** @param response of an EventsHandler */
        private static boolean areShownBehind(Response response) {
            Object handler = JettyInternals.eventsHandlerOf(response);
            return handler == null || HANDLERS_THAT_LOOK.get(handler.getClass());
        }

        /** @param request Jetty's own */
        private static boolean areShownInStreamOf(Request request) {
            HttpStream stream = JettyInternals.streamOf(request);
            while (stream instanceof HttpStream.Wrapper wrapper) {
                if (STREAMS_THAT_LOOK.get(stream.getClass())) {
                    return true;
                }
                stream = wrapper.getWrapped();
            }
            return stream == null || STREAMS_THAT_LOOK.get(stream.getClass());
        }
    }

    /** What to write to: past the output of a servlet, if there may be one. There is none where Jetty's own response is written to. */
    static Content.Sink pastServlet(Content.Sink sink) {
        return Layers.LAYERS.get(sink.getClass()) == ResponseLayer.CHANNEL ? sink : ServletInternals.pastOutput(sink);
    }

    private static SendPath blocked(Response response, Obstacle obstacle, Layers layers) {
        Content.Sink target = layers.target();
        return new SendPath(
                null,
                response,
                target == null ? response : target,
                obstacle,
                layers.areShown()
                        || (layers.areGivenUp()
                                && !isHttp1(response.getRequest().getConnectionMetaData())));
    }

    /** The way to a sink that is no response, but an application's. */
    private static SendPath to(Content.Sink sink, Obstacle obstacle) {
        return new SendPath(null, null, sink, obstacle, true);
    }

    private static boolean isHttp1(ConnectionMetaData connection) {
        return connection.getHttpVersion().getVersion() <= HttpVersion.HTTP_1_1.getVersion();
    }

    /**
     * @param isCompressible whether a compression in between is to have it
     * @return the way, or what is in the way
     */
    static SendPath of(Content.Sink sink, long bytes, boolean isCompressible) {
        if (!(sink instanceof Response response)) {
            return to(sink, Obstacle.WRAPPED);
        }
        Layers layers = Layers.of(response, isCompressible);
        if (layers.target() == null) {
            return blocked(response, Obstacle.WRAPPED, layers);
        }
        ConnectionMetaData connection = response.getRequest().getConnectionMetaData();
        if (!(behindProxy(connection.getConnection().getEndPoint()) instanceof TransferEndPoint endPoint)) {
            return blocked(response, Obstacle.END_POINT, layers);
        }
        // TLS reads the file, in pieces as large as it writes them: it is no transfer by the kernel.
        Obstacle encrypted = endPoint instanceof SslConnection.SslEndPoint ? Obstacle.END_POINT : null;
        Obstacle found = obstacle(response, bytes, layers);
        if (found != null) {
            return blocked(response, encrypted == null ? found : encrypted, layers);
        }
        return new SendPath(endPoint, response, layers.target(), encrypted, false);
    }

    // Jetty's end point of the PROXY protocol hands buffers on as they are: it only has other addresses.
    private static EndPoint behindProxy(EndPoint endPoint) {
        return endPoint instanceof ProxyEndPoint proxied ? proxied.unwrap() : endPoint;
    }

    private static @Nullable Obstacle obstacle(Response response, long bytes, Layers layers) {
        if (!isHttp1(response.getRequest().getConnectionMetaData())) {
            return Obstacle.PROTOCOL;
        }
        if (response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH) != bytes) {
            return Obstacle.LENGTH;
        }
        return layers.areShown() ? Obstacle.SHOWN : null;
    }

    /** Whether a layer on the way may compress what is written, or change it otherwise. */
    static boolean mayChangeContent(Response response) {
        return Layers.of(response, true).target() == null;
    }

    /**
     * Whether content that no compression is to have goes past each one that may be on the way. One that wraps nothing, as for a client
     * that accepts no coding, may stand behind any layer: then all must only pass content on.
     */
    static boolean passesCompressions(Response response) {
        Content.Sink target = Layers.of(response, false).target();
        return target != null && (target != response || Layers.arePassive(response));
    }

    /** The way for content that is copied, whatever the end point can do. A range is one of the bytes as they are: it is not compressed. */
    static SendPath copied(Content.Sink sink, Obstacle obstacle) {
        return copied(sink, obstacle, !isRange(sink));
    }

    /** @param isCompressible whether a compression in between is to have it */
    static SendPath copied(Content.Sink sink, Obstacle obstacle, boolean isCompressible) {
        return sink instanceof Response response
                ? blocked(response, obstacle, Layers.of(response, isCompressible))
                : to(sink, obstacle);
    }

    /** This way for a file without a mapping: there is no token for it. */
    SendPath unmapped() {
        return new SendPath(null, response, sink, obstacle == null ? Obstacle.UNMAPPED : obstacle, isReadLater);
    }

    /** This way for content that is not written to {@link #sink}, but to the response itself. */
    SendPath wrapped() {
        return new SendPath(null, response, response == null ? sink : response, Obstacle.WRAPPED, isReadLater);
    }

    /**
     * Writes memory that others use afterwards: itself, or a copy where it may be read later.
     *
     * @param release gives the memory back, once, when no layer on this way reads it any more
     */
    void lend(Runnable release, boolean last, ByteBuffer bytes, Callback callback) {
        if (isReadLater) {
            new ReleasingCallback(release, null, callback).write(this::writeCopy, last, bytes);
        } else {
            new ReleasingCallback(release, response, callback).write(sink, last, bytes);
        }
    }

    private void writeCopy(boolean last, ByteBuffer bytes, Callback callback) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining());
        copy.put(bytes).flip();
        sink.write(last, copy, callback);
    }

    /** @return the end point of a way without an obstacle */
    TransferEndPoint transferEndPoint() {
        return Objects.requireNonNull(endPoint, "there is an obstacle");
    }

    /** @return why the content is copied; there is an obstacle */
    Obstacle copiedBy() {
        return Objects.requireNonNull(obstacle, "there is no obstacle");
    }

    /** Logs that a file failed, and counts it for the connector, unless the answer can still be an error. */
    void tell(FileFailedException failure) {
        if (response != null
                && response.isCommitted()
                && behindProxy(response.getRequest()
                                .getConnectionMetaData()
                                .getConnection()
                                .getEndPoint())
                        instanceof TransferEndPoint sending) {
            sending.tellFailure(failure);
        } else {
            failure.log(this);
        }
    }

    /** For the log. */
    @Override
    public String toString() {
        return "an answer" + (endPoint == null ? "" : " to " + endPoint);
    }

    /** Whether content goes in frames, of HTTP/2 or later, as far as the peer's windows are open. */
    boolean isFramed() {
        return response != null && !isHttp1(response.getRequest().getConnectionMetaData());
    }

    static boolean isRange(Content.Sink sink) {
        return sink instanceof Response response && response.getStatus() == HttpStatus.PARTIAL_CONTENT_206;
    }

    /** Whether content that is written goes nowhere: that of a HEAD, unless its length is yet to be counted, as of an include. */
    static boolean isHeadOnly(Content.Sink sink) {
        return sink instanceof Response response
                && HttpMethod.HEAD.is(response.getRequest().getMethod())
                && response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH) >= 0;
    }
}
