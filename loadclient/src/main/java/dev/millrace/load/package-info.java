/**
 * The command line of the load client. Entry class: {@link dev.millrace.load.Main}.
 *
 * <p>Threading: commands run on the main thread; a shutdown hook asks a running cell to end.
 */
package dev.millrace.load;
