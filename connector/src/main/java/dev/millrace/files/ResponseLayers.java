package dev.millrace.files;

import dev.millrace.jetty.JettyInternals;
import dev.millrace.jetty.ResponseLayer;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.EventsHandler;
import org.eclipse.jetty.server.handler.StatisticsHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What content passes between the response that it is written to and Jetty's channel. Applications may be shown it by ways on which
 * nothing changes: Jetty's EventsHandler, and wrappers of its stream. They may keep a buffer, and read it when its memory is
 * another's, or is gone.
 *
 * @param target what to write to, past all layers that may change the content; null when there is no such way
 * @param areShown whether an application is given the buffers, and may keep them
 * @param areGivenUp whether a layer may fail the callback of a write that is still pending
 */
record ResponseLayers(Content.@Nullable Sink target, boolean areShown, boolean areGivenUp) {
    private static final Logger LOG = LoggerFactory.getLogger(ResponseLayers.class);

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
    static ResponseLayers of(Response response, boolean isCompressible) {
        Content.Sink target = response;
        boolean isWatched = false;
        boolean isShown = false;
        boolean isGivenUp = false;
        for (Response current = response; ; current = ((Response.Wrapper) current).getWrapped()) {
            ResponseLayer layer = LAYERS.get(current.getClass());
            if (layer == ResponseLayer.CHANNEL) {
                return new ResponseLayers(target, isShown || areShownInStreamOf(current.getRequest()), isGivenUp);
            }
            if (!(current instanceof Response.Wrapper wrapper) || layer == ResponseLayer.OPAQUE) {
                return new ResponseLayers(null, true, isGivenUp);
            }
            boolean isBypassable = !isCompressible && !isWatched && !current.isCommitted();
            if ((current instanceof PassiveResponse ours && ours.isDiscarding())
                    || (layer == ResponseLayer.COMPRESSING && !isBypassable)) {
                return new ResponseLayers(null, isShown, isGivenUp);
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
     * looks no further than at its length, and its sessions pass it on.
     */
    private static boolean looks(Class<?> type, Class<?> base, String method) {
        try {
            for (Class<?> current = type; current != base; current = current.getSuperclass()) {
                if (current != StatisticsHandler.class
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
