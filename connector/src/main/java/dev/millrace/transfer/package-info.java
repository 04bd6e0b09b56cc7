/**
 * File regions, which are files or parts of them, on their way from an application to a socket. Begin with
 * {@link dev.millrace.transfer.FileRegion}.
 *
 * <p>A region travels through Jetty as a <em>token</em>: a read-only mapping of its bytes. The end point that understands it, a
 * {@link dev.millrace.transfer.TransferEndPoint}, has the kernel send the file in place of the token. Nothing on that way reads the
 * token's bytes.
 *
 * <p>Threading: a region belongs to one response, and is used by one thread at a time: the one that flushes the end point.
 * {@link dev.millrace.transfer.TransferStatistics} may be used by any thread.
 *
 * <p>This package knows neither connectors nor the lookup of files.
 */
@NullMarked
package dev.millrace.transfer;

import org.jspecify.annotations.NullMarked;
