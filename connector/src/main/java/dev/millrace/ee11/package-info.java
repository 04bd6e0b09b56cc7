/**
 * {@link dev.millrace.ee11.SendfileServlet}: Jetty's file servlet of its ee11 environment, sending by the kernel. A jar
 * of its own, for the class path of that environment. Threading: a servlet's.
 */
@NullMarked
package dev.millrace.ee11;

import org.jspecify.annotations.NullMarked;
