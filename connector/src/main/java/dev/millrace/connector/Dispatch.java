package dev.millrace.connector;

/**
 * Where a ready connection of a {@link NioConnector} is served. Jetty's strategy goes by a task's invocation type. With each of these, what
 * waited in a request goes on in the selector's thread, if its callback does not block. {@link SelectorExecutor} watches that thread then.
 */
enum Dispatch {
    /**
     * By the selector's own thread, as with {@link #SELECTOR}, until the request comes to what may block: then the thread leaves the
     * selector. What a connection does besides runs where Jetty decides, by the invocation type of the callback that waits.
     */
    ADAPTIVE,
    /**
     * By the selector's own thread: see {@link SelectorExecutor}. Connections of HTTP/2 are served as with {@link #ADAPTIVE}. The task
     * calls itself blocking. In the instant in which another thread is about to select, Jetty's strategy gives a blocking task away. It
     * would run any other where it was found, and no thread would select.
     */
    SELECTOR,
    /**
     * By another thread, because Jetty's strategy never runs a blocking task on the thread that goes on selecting. This is for the
     * begin of requests. A request that waits for content, or to write, is told as Jetty decides: all threads of the pool may be
     * waiting like this.
     */
    HANDOFF
}
