/**
 * The requests of each kind of work, and the checks of their answers: the UUID service, and files of a catalogue. Entry
 * class: {@link dev.millrace.load.scenario.Workload}.
 *
 * <p>Threading: all clients share a workload, which is immutable, except that a file learns its checksum once. A {@link
 * dev.millrace.load.scenario.Script} belongs to one client.
 */
@NullMarked
package dev.millrace.load.scenario;

import org.jspecify.annotations.NullMarked;
