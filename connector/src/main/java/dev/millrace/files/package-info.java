/**
 * Files for Jetty's own file serving: {@link dev.millrace.files.SendfileContentFactory} puts sendfile behind
 * {@code ResourceHandler}, {@code ResourceServlet} and {@code DefaultServlet};
 * {@link dev.millrace.files.SendfileHandler} is a {@code ResourceHandler} that has it built in.
 * {@link dev.millrace.files.ServerSendfile} does it for everything on a server;
 * {@link dev.millrace.files.XSendfileHandler} sends what applications name.
 *
 * <p>Lookup, conditional requests, ranges, listings and types stay Jetty's. Here are the open files, the contents in
 * memory, and the decision whether a response can go by the kernel.
 *
 * <p>Threading: everything here may be used by any thread. An open file and a run of memory are counted, and given back
 * by whoever lets go of them last; a {@link dev.millrace.files.SendfileContent} is shared by all requests for its
 * version.
 */
package dev.millrace.files;
