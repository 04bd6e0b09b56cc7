/**
 * Figures of a server's connectors and files for Micrometer. {@link dev.millrace.metrics.MillraceMetrics} is the entry. A server
 * without Micrometer needs nothing of this package.
 *
 * <p>Threading: figures are read by the registry's threads. Requests pay nothing for it.
 */
package dev.millrace.metrics;
