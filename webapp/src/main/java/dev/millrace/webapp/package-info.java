/**
 * The sample application: files with their catalogue, downloads, live figures and a page that shows them. It uses plain
 * servlets of Servlet 6.0, so that the WAR runs in any container. UUIDs come from {@code dev.millrace.uuid}. Entry
 * class: {@link dev.millrace.webapp.Application}.
 *
 * <p>Threading: many threads call servlets at once. Shared objects are immutable or thread-safe.
 */
@NullMarked
package dev.millrace.webapp;

import org.jspecify.annotations.NullMarked;
