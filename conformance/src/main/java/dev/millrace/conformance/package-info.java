/** Compares the connectors with Jetty's own connector, which is the control. */
package dev.millrace.conformance;
