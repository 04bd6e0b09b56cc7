/**
 * Live figures of a server's connectors for its applications. Begin with
 * {@link dev.millrace.monitor.ConnectorMonitor}.
 *
 * <p>Threading: any thread may read the figures. That takes a lock, as does a connection that opens or closes.
 */
@NullMarked
package dev.millrace.monitor;

import org.jspecify.annotations.NullMarked;
