/**
 * What Millrace knows of Jetty that Jetty does not export, or shows and does not promise. No other package names such classes, reads
 * such texts or reflects on Jetty. {@link dev.millrace.jetty.JettyInternals} is the entry: it looks once whether this Jetty is as it is
 * known. Where it is not, files are copied, short cuts are not taken, and the log has one line for it.
 *
 * <p>Each assumption has a test of its name in {@code JettyInternalsContractTest}. Methods may be called by any thread.
 */
@NullMarked
package dev.millrace.jetty;

import org.jspecify.annotations.NullMarked;
