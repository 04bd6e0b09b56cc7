/** A server in a program of its own: {@link dev.millrace.examples.embedded.Embedded}. Its only thread of its own is the main one. */
package dev.millrace.examples.embedded;
