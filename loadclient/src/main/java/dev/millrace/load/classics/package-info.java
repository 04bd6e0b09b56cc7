/**
 * The classic experiments as data: what was measured and published, on which server settings, what was claimed, and how
 * long a repetition takes. The JSON files beside these classes are the only place that holds a published figure. Entry
 * class: {@link dev.millrace.load.classics.Experiment}.
 *
 * <p>Threading: everything here is immutable or stateless.
 */
package dev.millrace.load.classics;
