package dev.millrace.webapp;

/**
 * Names of the servlet context attributes by which a server hands things to this application. Their values are of JDK
 * types, because application and server share no class loader.
 */
public final class Attributes {
    /** The folder under {@code /files/}: a {@link java.nio.file.Path}. */
    public static final String FILES = "dev.millrace.webapp.files";

    /**
     * The server's listeners with their live figures: a {@link java.util.function.Supplier} of a
     * {@link java.util.List} of maps, ready for JSON. Called for each request of {@code /stats}, by any thread. The
     * connectors of Millrace bring it.
     */
    public static final String LISTENERS = "dev.millrace.listeners";

    /**
     * Which files the server sends when a response names them in {@code X-Sendfile}: a
     * {@link java.util.function.Predicate} of a {@link java.nio.file.Path}. Not there on a server that sends none.
     */
    static final String X_SENDFILE = "dev.millrace.xsendfile";

    /** {@link Boolean#TRUE} where the server's own {@code DefaultServlet} sends files by the kernel. */
    public static final String SENDFILE = "dev.millrace.sendfile";

    /**
     * Whether the server wants to stop: a {@link java.util.function.BooleanSupplier}. Event streams, which would never
     * end by themselves, end then, so that the server need not wait for them.
     */
    public static final String STOPPING = "dev.millrace.webapp.stopping";

    private Attributes() {
    }
}
