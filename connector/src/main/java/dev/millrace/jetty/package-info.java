/**
 * What Millrace knows of Jetty that Jetty does not export, or shows and does not promise. No other package names such classes, reads
 * such texts or reflects on Jetty. Begin with {@link dev.millrace.jetty.JettyInternals}: it looks once whether this Jetty is as it is
 * known. Where it is not, files are copied or slow peers left to the idle timeout. The log has a line for each assumption that fails.
 *
 * <p>Each assumption has a test of its name in {@code JettyInternalsContractTest}. Methods may be called by any thread.
 */
@NullMarked
package dev.millrace.jetty;

import org.jspecify.annotations.NullMarked;
