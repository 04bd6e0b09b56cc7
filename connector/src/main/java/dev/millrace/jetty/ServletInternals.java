package dev.millrace.jetty;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ContextResponse;
import org.jspecify.annotations.Nullable;

/**
 * What Jetty's servlets do not show of the response that their files are written to. Servlets of several versions may be in one server.
 * All methods may be called by any thread, and none waits.
 */
public final class ServletInternals {
    private static final Set<String> CORE_RESPONSES = Set.of(
            "org.eclipse.jetty.ee10.servlet.ServletCoreResponse", "org.eclipse.jetty.ee11.servlet.ServletCoreResponse");

    private static final ClassValue<@Nullable CoreResponse> KNOWN = new ClassValue<>() {
        @Override
        protected @Nullable CoreResponse computeValue(Class<?> type) {
            return CORE_RESPONSES.contains(type.getName())
                    ? Assumption.lookFor(() -> new CoreResponse(type), "files of servlets are copied")
                    : null;
        }
    };

    private ServletInternals() {}

    /**
     * Jetty's ServletCoreResponse, by which its servlets of files write since 12.1.14. It hands on to the response of the context what the
     * application could not have seen on its way, and only counts it.
     */
    private static final class CoreResponse {
        private final Field isOfApplication;
        private final Field isIncluded;
        private final Field ofContext;
        private final Method isWritingOrStreaming;

        private CoreResponse(Class<?> type) throws ReflectiveOperationException {
            isOfApplication = open(type, "_wrapped", boolean.class);
            isIncluded = open(type, "_included", boolean.class);
            ofContext = open(type, "_servletContextResponse", ContextResponse.class);
            isWritingOrStreaming = ofContext.getType().getMethod("isWritingOrStreaming");
        }

        private static Field open(Class<?> type, String name, Class<?> expected) throws ReflectiveOperationException {
            Field field = type.getDeclaredField(name);
            if (!expected.isAssignableFrom(field.getType())) {
                throw new NoSuchFieldException(field + " is no " + expected.getSimpleName());
            }
            field.setAccessible(true);
            return field;
        }

        /** @return the response of the context; null when something may be done to content before it comes there */
        private @Nullable Response below(Response response) {
            try {
                if (isOfApplication.getBoolean(response) || isIncluded.getBoolean(response)) {
                    return null;
                }
                Response context = (Response) ofContext.get(response);
                return (boolean) isWritingOrStreaming.invoke(context) ? null : context;
            } catch (ReflectiveOperationException x) {
                throw new IllegalStateException(x);
            }
        }
    }

    /**
     * The way past the output of a servlet, for content that nothing is to be written before or after.
     *
     * <p>The length that a servlet's response has promised is moved to the one below it. Else the servlet's channel finds at the end of each
     * request that nothing went through its own output. It writes a message, makes an exception with its stack trace, and aborts a
     * response that is complete: an eighth of a small file's CPU.
     *
     * @return what to write to; the same where there is no such output, and where an application sees or changes what goes through it
     */
    public static Content.Sink pastOutput(Content.Sink sink) {
        CoreResponse known = KNOWN.get(sink.getClass());
        Response below = known == null ? null : known.below((Response) sink);
        Content.Sink target = below == null ? sink : below;
        ContextResponse context =
                target instanceof Response response ? Response.as(response, ContextResponse.class) : null;
        if (context != null && !context.isCommitted()) {
            HttpFields.Mutable ofServlet = context.getHeaders();
            HttpFields.Mutable ofContext = context.getWrapped().getHeaders();
            HttpField length = ofServlet == ofContext ? null : ofServlet.getField(HttpHeader.CONTENT_LENGTH);
            if (length != null) {
                ofServlet.remove(HttpHeader.CONTENT_LENGTH);
                ofContext.put(length);
            }
        }
        return target;
    }
}
