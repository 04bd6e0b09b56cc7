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
 * connection.
 *
 * <p>{@code Bio*} classes do not use {@code Nio*} classes, nor the other way round.
 */
@NullMarked
package dev.millrace.connector;

import org.jspecify.annotations.NullMarked;
