/** What the connectors are compared by, in each of which Jetty's own connector is the control. */
package dev.millrace.conformance;
