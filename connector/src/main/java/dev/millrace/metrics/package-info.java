/**
 * Figures of a server's connectors and files for Micrometer. Begin with {@link dev.millrace.metrics.MillraceMetrics}. A server
 * without Micrometer needs nothing of this package.
 *
 * <p>Threading: the registry's threads read the figures. Requests pay nothing for it.
 */
@NullMarked
package dev.millrace.metrics;

import org.jspecify.annotations.NullMarked;
