/**
 * Writes results: a line per cell, {@code run.json}, exports for other tools, a self-contained HTML page, and
 * comparisons of runs. Entry classes: {@link dev.millrace.load.report.RunFile} holds a run, {@link
 * dev.millrace.load.report.ReportFolder} writes it.
 *
 * <p>Threading: classes are immutable, stateless, or confined to the thread that writes a report.
 */
@NullMarked
package dev.millrace.load.report;

import org.jspecify.annotations.NullMarked;
