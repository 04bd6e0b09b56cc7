package dev.millrace.jetty;

import java.util.Map;
import java.util.stream.Stream;

/** What a class of response does to the content that is written to it. */
public enum ResponseLayer {
    /** Passes it on, and that is all. */
    PASSIVE,
    /** Passes it on, but wants to know of it. */
    WATCHING,
    /** As {@link #WATCHING}, and may give up a write while it is pending. */
    IMPATIENT,
    /** As {@link #WATCHING}, and may show the content to an application. */
    EVENTS,
    /** Lets go of what it was given when it has completed the write. */
    COMPRESSING,
    /** The last one: Jetty's own response. */
    CHANNEL,
    /** Unknown: may change the content, and so must not meet a token. It may also keep a buffer. */
    OPAQUE;

    private static final Map<String, ResponseLayer> KNOWN = Map.of(
            "org.eclipse.jetty.ee10.servlet.ServletContextResponse",
            PASSIVE,
            "org.eclipse.jetty.ee11.servlet.ServletContextResponse",
            PASSIVE,
            "org.eclipse.jetty.server.handler.ContextResponse",
            PASSIVE,
            "org.eclipse.jetty.server.handler.SizeLimitHandler$SizeLimitResponseWrapper",
            WATCHING,
            "org.eclipse.jetty.server.handler.StateTrackingHandler$ResponseWrapper",
            WATCHING,
            "org.eclipse.jetty.server.handler.MinimumDataRateHandler$MinimumDataRateResponse",
            IMPATIENT,
            "org.eclipse.jetty.server.handler.EventsHandler$EventsResponse",
            EVENTS,
            "org.eclipse.jetty.compression.server.internal.CompressionResponse",
            COMPRESSING,
            JettyInternals.CHANNEL_RESPONSE,
            CHANNEL);

    static Stream<String> names() {
        return KNOWN.keySet().stream();
    }

    /** @return what one of Jetty's classes does; {@link #OPAQUE} for any other */
    public static ResponseLayer of(Class<?> response) {
        return JettyInternals.passesContentOn() ? KNOWN.getOrDefault(response.getName(), OPAQUE) : OPAQUE;
    }
}
