/**
 * The connectors: {@link dev.millrace.connector.BioConnector} has a blocking thread for each connection,
 * {@link dev.millrace.connector.NioConnector} has Jetty's selectors and a choice of the thread that serves. Both are
 * {@link org.eclipse.jetty.server.ServerConnector}s, and both send announced parts of files by {@code sendfile(2)}.
 *
 * <p>Threading of BIO: one thread at a time owns the reading side of a connection. It waits for the peer only there
 * ({@link dev.millrace.connector.ReadLoop}) and in writes ({@link dev.millrace.connector.WriteDuty}). A connection of another protocol
 * than HTTP/1.1 goes to a selector ({@link dev.millrace.connector.SelectedChannel}).
 *
 * <p>Threading of NIO: that of Jetty's {@code ManagedSelector}. {@link dev.millrace.connector.Dispatch} says which thread serves a ready
 * connection. {@link dev.millrace.connector.SelectorExecutor} has another thread select when the selector's own takes long over it.
 *
 * <p>Threading of HTTP/2, on both: Jetty's strategy says which thread reads a connection, and whether that runs a request itself. All
 * others go to {@link dev.millrace.connector.StreamExecutor}. {@link dev.millrace.connector.Http2Turns} says which of them share a thread,
 * and {@link dev.millrace.connector.HeldWrites} which thread writes their answers. The scheduler's thread looks after those.
 *
 * <p>{@code Bio*} classes do not use {@code Nio*} classes, nor the other way round.
 */
@NullMarked
package dev.millrace.connector;

import org.jspecify.annotations.NullMarked;
