/**
 * Shows results: a line per cell, {@code run.json}, and one HTML page with charts that needs nothing from a network.
 * Entry class: {@link dev.millrace.load.report.RunFile}.
 *
 * <p>Threading: stateless or confined to the thread that writes the report.
 */
package dev.millrace.load.report;
