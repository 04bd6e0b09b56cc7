/**
 * Other servers, and those of Millrace, with the same work, for measurements only. Each answers {@code /hello},
 * {@code /files/*} and, where it has servlets, {@code /generate-uuid}. They are set up as a careful operator would.
 * Connections are kept for any number of requests and for five idle minutes. Nothing is logged below warnings, and
 * files go by the server's own file serving. One peer is no server, but the least that the JDK needs for one. Entry
 * class: {@link dev.millrace.peers.Main}.
 *
 * <p>Threading: a {@link dev.millrace.peers.Peer} is started by the main thread and stopped by the JVM's shutdown.
 */
@NullMarked
package dev.millrace.peers;

import org.jspecify.annotations.NullMarked;
