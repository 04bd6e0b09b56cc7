/**
 * File regions on their way from an application to a socket.
 *
 * <p>A part of a file travels through Jetty as a <em>token</em>: a read-only mapping of the region. Nothing on the fast path
 * reads the token's bytes. The entry class is {@link dev.millrace.transfer.FileRegion}; an end point that
 * understands it is a {@link dev.millrace.transfer.TransferEndPoint}.
 *
 * <p>Threading: a region belongs to one response, and is used by one thread at a time: the one that flushes the end point.
 * {@link dev.millrace.transfer.TransferStatistics} may be used by any thread.
 *
 * <p>This package knows neither connectors nor the lookup of files.
 */
@NullMarked
package dev.millrace.transfer;

import org.jspecify.annotations.NullMarked;
