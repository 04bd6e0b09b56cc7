/**
 * A differential fuzzer. It draws bytes by the grammars of HTTP/1.1 and WebSocket, and sends them to Jetty's own
 * connector and to Millrace's. It makes those that are answered differently as small as possible, and keeps them. Entry
 * class: {@link dev.millrace.conformance.fuzz.Fuzz}.
 */
package dev.millrace.conformance.fuzz;
