/**
 * What is asked of a server and what a right answer looks like: the UUID service, and files listed in a catalogue.
 * Entry class: {@link dev.millrace.load.scenario.Workload}.
 *
 * <p>Threading: a workload is shared by all clients and immutable but for checksums that are learnt once; a {@link
 * dev.millrace.load.scenario.Script} belongs to one client.
 */
package dev.millrace.load.scenario;
