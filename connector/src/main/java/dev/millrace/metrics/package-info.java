/**
 * Figures of a server's connectors and files for Micrometer. {@link dev.millrace.metrics.MillraceMetrics} is the entry. A server
 * without Micrometer needs nothing of this package.
 *
 * <p>Threading: figures are read by the registry's threads. Requests pay nothing for it.
 */
@NullMarked
package dev.millrace.metrics;

import org.jspecify.annotations.NullMarked;
