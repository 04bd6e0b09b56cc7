/**
 * The UUID service in a server on the module path. Entry class: {@link dev.millrace.examples.modules.UuidServer}.
 *
 * <p>Threading: the main thread starts the server.
 */
package dev.millrace.examples.modules;
