/**
 * Figures of the operating system: CPU time of a process and of the machine, processes that listen, sockets, and
 * settings. The source is Linux's {@code /proc}, elsewhere the JDK's {@code ProcessHandle}. A server may also report its
 * own CPU time. Entry class: {@link dev.millrace.load.host.ServerCpu}.
 *
 * <p>Threading: all classes are stateless or immutable, and safe for use by any thread.
 */
@NullMarked
package dev.millrace.load.host;

import org.jspecify.annotations.NullMarked;
