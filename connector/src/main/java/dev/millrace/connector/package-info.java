/**
 * The connectors: {@link dev.millrace.connector.BioConnector}, one thread per connection that blocks, and
 * {@link dev.millrace.connector.NioConnector}, Jetty's selectors with a choice of dispatch. Both are
 * {@link org.eclipse.jetty.server.ServerConnector}s, and both send announced file regions by {@code sendfile(2)}.
 *
 * <p>Threading of BIO: one thread at a time owns the reading side of a connection and blocks only there (see
 * {@link dev.millrace.connector.ReadLoop}) and in writes. Protocols other than HTTP/1.1 go to a selector (see
 * {@link dev.millrace.connector.SelectedChannel}). Threading of NIO: Jetty's; see {@code ManagedSelector}.
 *
 * <p>{@code Bio*} classes do not use {@code Nio*} classes, nor the other way round.
 */
@NullMarked
package dev.millrace.connector;

import org.jspecify.annotations.NullMarked;
