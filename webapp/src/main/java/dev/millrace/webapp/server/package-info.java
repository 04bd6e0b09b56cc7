/**
 * The server of {@code java -jar millrace.war}: Jetty with up to three connectors and the same application. A servlet
 * container that deploys the WAR never loads this package. Entry class: {@link dev.millrace.webapp.server.Standalone}.
 *
 * <p>Threading: one thread starts the server; a shutdown hook stops it.
 */
@NullMarked
package dev.millrace.webapp.server;

import org.jspecify.annotations.NullMarked;
