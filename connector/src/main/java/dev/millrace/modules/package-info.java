/**
 * What only the modules of Jetty's distribution need: the PROXY protocol, and the warning of properties that nothing reads. It is a
 * jar of its own, because it needs Jetty's XML, which an embedded server need not have.
 *
 * <p>Threading: the thread that starts the server runs all of it.
 */
@NullMarked
package dev.millrace.modules;

import org.jspecify.annotations.NullMarked;
