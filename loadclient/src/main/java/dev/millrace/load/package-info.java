/**
 * The load client, one package per task. {@code cli} reads the command line, {@code replay} repeats an {@code
 * experiment}, and {@code report} writes results. {@code run} measures one cell with the requests of a {@code scenario}
 * over connections of {@code http}. {@code server} starts servers, and {@code host} reads their CPU time. Entry class:
 * {@link dev.millrace.load.cli.Main}.
 *
 * <p>Threading: the main thread runs commands, and each client of a cell has a thread of its own.
 */
package dev.millrace.load;
