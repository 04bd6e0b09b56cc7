/**
 * Runs cells: so many clients doing one kind of work for a while, measured. Closed model: each client has one
 * connection and sends its next request when the answer before has come. Entry class:
 * {@link dev.millrace.load.run.CellRun}.
 *
 * <p>Threading: one thread per client, one that watches for timeouts, and the caller's, which opens and closes the
 * measured window. What a client records belongs to its thread until that has ended.
 */
package dev.millrace.load.run;
