/**
 * The server that {@code java -jar millrace.war} runs: {@link dev.millrace.webapp.server.Standalone} reads the options
 * and starts Jetty with up to three listeners over the same application. Never loaded when the WAR is deployed into a
 * servlet container.
 *
 * <p>Threads: started and stopped by one thread.
 */
package dev.millrace.webapp.server;
