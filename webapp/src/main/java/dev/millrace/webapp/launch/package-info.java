/**
 * What makes {@code java -jar millrace.war} work: {@link dev.millrace.webapp.launch.Launcher}, the only class at the
 * root of the WAR, uses nothing but the JDK.
 *
 * <p>Threads: the main thread, and the JVM's shutdown hook.
 */
package dev.millrace.webapp.launch;
