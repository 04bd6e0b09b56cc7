/**
 * A differential fuzzer: draws bytes by the grammars of HTTP/1.1 and WebSocket, sends them to Jetty's own connector and to Millrace's, and
 * keeps, as small as possible, those that are answered differently.
 */
package dev.millrace.conformance.fuzz;
