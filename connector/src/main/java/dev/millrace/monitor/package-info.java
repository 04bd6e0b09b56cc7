/**
 * Live figures of a server's connectors for its applications. {@link dev.millrace.monitor.ConnectorMonitor} is the entry.
 *
 * <p>Threading: figures may be read by any thread. A lock is taken when a connection opens or closes, and when figures are read.
 */
@NullMarked
package dev.millrace.monitor;

import org.jspecify.annotations.NullMarked;
