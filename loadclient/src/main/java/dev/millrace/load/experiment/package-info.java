/**
 * The published experiments as data: rows and figures, server settings, claims, and lengths. Published figures are in
 * the JSON files beside these classes, and nowhere else. Entry class: {@link dev.millrace.load.experiment.Experiment}.
 *
 * <p>Threading: all classes are immutable.
 */
@NullMarked
package dev.millrace.load.experiment;

import org.jspecify.annotations.NullMarked;
