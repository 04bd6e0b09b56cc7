/**
 * Repeats an experiment of {@link dev.millrace.load.experiment}: plans its cells, starts its servers, and measures.
 * Entry class: {@link dev.millrace.load.replay.Replay}.
 *
 * <p>Threading: one thread; a shutdown hook may close the servers.
 */
@NullMarked
package dev.millrace.load.replay;

import org.jspecify.annotations.NullMarked;
