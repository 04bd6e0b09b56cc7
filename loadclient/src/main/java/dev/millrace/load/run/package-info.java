/**
 * Runs cells: a number of clients do one kind of work for a while, and are measured. In the closed model each client
 * has one connection, and sends its next request when it has the answer. In the open model a clock says when. Entry
 * class: {@link dev.millrace.load.run.CellRun}.
 *
 * <p>Threading: one thread per client, one that watches for timeouts, and the caller's, which opens and closes the
 * measured window. A client's records belong to its thread until that has ended.
 */
@NullMarked
package dev.millrace.load.run;

import org.jspecify.annotations.NullMarked;
