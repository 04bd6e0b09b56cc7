/**
 * The servers that are measured: those that listen already, and processes that this program starts and ends. Entry
 * class: {@link dev.millrace.load.server.Servers}.
 *
 * <p>Threading: a {@link dev.millrace.load.server.ServerProcess} is safe for use by any thread, because a shutdown hook
 * ends it; {@code Servers} belongs to one thread.
 */
@NullMarked
package dev.millrace.load.server;

import org.jspecify.annotations.NullMarked;
