package dev.millrace.files;

/** Why a file did not go by sendfile. */
public enum Obstacle {
    /** The resource is not a file of the default file system (an entry of a jar, for example), or one that cannot be opened. */
    NOT_A_FILE,
    /** The content was in memory. */
    CACHED,
    /** The content is so small that a copy is cheaper than a system call of its own. */
    SMALL,
    /**
     * The content is so small that it is written with the header, from the file's mapping. A header that leaves as a
     * segment of its own costs more. What the socket does not take at once goes by sendfile.
     */
    GATHERED,
    /** The file cannot be mapped: by its file system, by a limit on the number of mappings, or because this runtime can end none. */
    UNMAPPED,
    /** The connection does not end in a connector of ours: another connector, or TLS. */
    END_POINT,
    /** Not HTTP/1.x. */
    PROTOCOL,
    /** The response has no Content-Length that equals the content: it may become chunked. */
    LENGTH,
    /** The response is wrapped by something that may change the content. */
    WRAPPED,
    /**
     * An application is given the buffers that are written, and may read them when the file is closed. It is given them
     * by a handler of Jetty's that extends {@code EventsHandler} and overrides {@code onResponseWrite}, or by a wrapper
     * of the {@code HttpStream} that overrides {@code send}.
     */
    SHOWN
}
