/**
 * {@link dev.millrace.ee11.SendfileServlet}: Jetty's {@code ResourceServlet} of the environment ee11, which sends files by the kernel.
 * It is a jar of its own, for the class path of that environment.
 *
 * <p>Threading: that of servlets. Requests use the servlet by many threads at once.
 */
@NullMarked
package dev.millrace.ee11;

import org.jspecify.annotations.NullMarked;
