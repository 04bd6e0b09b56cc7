/**
 * The launcher of {@code java -jar millrace.war}. Its class is the only one at the root of the WAR, and uses only the
 * JDK. Entry class: {@link dev.millrace.webapp.launch.Launcher}.
 *
 * <p>Threading: the main thread starts the server, and the JVM's shutdown hook stops it.
 */
@NullMarked
package dev.millrace.webapp.launch;

import org.jspecify.annotations.NullMarked;
