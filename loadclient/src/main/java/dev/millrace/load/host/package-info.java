/**
 * What the operating system tells: CPU time of a process and of the machine, which process listens on a port, and the
 * settings that a figure depends on. Linux's {@code /proc} where there is one, the JDK's {@code ProcessHandle}
 * elsewhere; and what a server tells of itself. Entry class: {@link dev.millrace.load.host.ServerCpu}.
 *
 * <p>Threading: everything here is stateless or immutable and may be used from any thread.
 */
package dev.millrace.load.host;
