/**
 * What only the modules of Jetty's distribution need. A jar of its own, because it needs Jetty's XML, which a server that is
 * embedded need not have. Threading: that of the start.
 */
@NullMarked
package dev.millrace.modules;

import org.jspecify.annotations.NullMarked;
