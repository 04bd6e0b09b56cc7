/**
 * Puts sendfile behind Jetty's own file serving. Begin with {@link dev.millrace.files.SendfileHandler}, a
 * {@code ResourceHandler} that has it built in, or with {@link dev.millrace.files.ServerSendfile}, which does it for everything on
 * a server. Both rest on {@link dev.millrace.files.SendfileContentFactory}; {@link dev.millrace.files.SendfileSettings} has the
 * settings of all.
 *
 * <p>Lookup, conditional requests, ranges, listings and types stay Jetty's. Here are the contents of files, and the decision
 * whether a response can go by the kernel.
 *
 * <p>Threading: any thread may use the public types. A {@link dev.millrace.files.SendfileContent} is shared by all requests for
 * its version; what writes one response is used by one thread at a time.
 */
@NullMarked
package dev.millrace.files;

import org.jspecify.annotations.NullMarked;
