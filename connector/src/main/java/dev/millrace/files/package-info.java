/**
 * Files for Jetty's own file serving: {@link dev.millrace.files.SendfileContentFactory} puts sendfile behind
 * {@code ResourceHandler}, {@code ResourceServlet} and {@code DefaultServlet}; {@link dev.millrace.files.SendfileHandler} is
 * a {@code ResourceHandler} that has it built in.
 *
 * <p>Lookup, conditional requests, ranges, listings and types stay Jetty's. Here are the open files, and the decision
 * whether a response can go by the kernel.
 *
 * <p>Threading: everything here may be used by any thread; an {@link dev.millrace.files.OpenFile} is counted, and closed by
 * whoever lets go of it last.
 */
package dev.millrace.files;
