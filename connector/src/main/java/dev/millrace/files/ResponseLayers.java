package dev.millrace.files;

import dev.millrace.jetty.ResponseLayer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/**
 * What content passes between the response that it is written to and Jetty's channel.
 *
 * @param target what to write to, past all layers that may change the content; null when there is no such way
 * @param areShown whether an application is given the buffers, and may keep them
 * @param areGivenUp whether a layer may fail the callback of a write that is still pending
 */
record ResponseLayers(Content.@Nullable Sink target, boolean areShown, boolean areGivenUp) {
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
                return new ResponseLayers(
                        target, isShown || ContentObservers.areInStreamOf(current.getRequest()), isGivenUp);
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
            isShown |= layer == ResponseLayer.EVENTS && ContentObservers.areBehind(current);
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
}
