package dev.millrace.files;

import dev.millrace.jetty.JettyInternals;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.EventsHandler;
import org.eclipse.jetty.server.handler.StatisticsHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applications that are shown what is written, by ways on which nothing changes: Jetty's EventsHandler, and wrappers of its stream.
 * They may keep a buffer, and read it when its memory is another's, or is gone. Thread-safe.
 */
final class ContentObservers {
    private static final Logger LOG = LoggerFactory.getLogger(ContentObservers.class);

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

    private ContentObservers() {}

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
    static boolean areBehind(Response response) {
        Object handler = JettyInternals.eventsHandlerOf(response);
        return handler == null || HANDLERS_THAT_LOOK.get(handler.getClass());
    }

    /** @param request Jetty's own */
    static boolean areInStreamOf(Request request) {
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
