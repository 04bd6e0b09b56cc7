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
     * Whether the server is stopping: a {@link java.util.function.BooleanSupplier}. Event streams end then, so that the
     * server does not wait for them.
     */
    public static final String STOPPING = "dev.millrace.webapp.stopping";

    private ContextAttributes() {}
}
