/**
 * The command line: a class for each command, the options that commands share, and the {@link
 * dev.millrace.load.cli.Session} that runs the cells of a measuring command. Entry class: {@link
 * dev.millrace.load.cli.Main}.
 *
 * <p>Threading: commands run on the main thread; a shutdown hook asks a running cell to end.
 */
@NullMarked
package dev.millrace.load.cli;

import org.jspecify.annotations.NullMarked;
