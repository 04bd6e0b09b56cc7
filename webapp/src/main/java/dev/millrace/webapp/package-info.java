/**
 * The sample application: files with their catalogue, downloads, live figures and a page that shows them. Plain
 * servlets on Servlet 6.0, so that the WAR deploys anywhere; {@link dev.millrace.webapp.Application} sets them up, and
 * is the place to start reading. UUIDs come from {@code dev.millrace.uuid}.
 *
 * <p>Threads: servlets are called by many threads at once; what they share is immutable or says how it is guarded.
 */
package dev.millrace.webapp;
