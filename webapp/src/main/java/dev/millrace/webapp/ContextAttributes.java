package dev.millrace.webapp;

/**
 * Names of the servlet context attributes by which a server passes objects to this application. Their values have JDK
 * types, because application and server do not share a class loader.
 */
public final class ContextAttributes {
    /** The folder under {@code /files/}: a {@link java.nio.file.Path}. */
    public static final String FILES = "dev.millrace.webapp.files";

    /**
     * The server's listeners with their live figures: a {@link java.util.function.Supplier} of a
     * {@link java.util.List} of maps, ready for JSON. Any thread calls it, for each request of {@code /stats}. The
     * connectors of Millrace set it.
     */
    public static final String LISTENERS = "dev.millrace.listeners";

    /**
     * The files that the server sends when a response names them in {@code X-Sendfile}: a
     * {@link java.util.function.Predicate} of a {@link java.nio.file.Path}. Servers without X-Sendfile do not set it.
     */
    static final String X_SENDFILE = "dev.millrace.xsendfile";

    /** {@link Boolean#TRUE} where the server's own {@code DefaultServlet} sends files by sendfile. */
    public static final String SENDFILE = "dev.millrace.sendfile";

    /**
     * Ends all event streams, and refuses further ones: a {@link java.util.function.Supplier} of a
     * {@link java.util.concurrent.CompletableFuture}, which is complete when the last of their responses is. The
     * application sets it. A server calls it before it stops: a stopping connector has idle connections expire, and a
     * stream is one between two events.
     */
    public static final String END_STREAMS = "dev.millrace.webapp.endStreams";

    private ContextAttributes() {}
}
