/**
 * One HTTP/1.1 connection as a measuring client needs it: the socket is owned by the caller, requests are bytes made
 * beforehand, every answer is checked while it streams by, and whatever goes wrong has a name ({@link
 * dev.millrace.load.http.Fault}). Answers are read by {@link
 * dev.millrace.load.http.ResponseReader}, because the cost of a library's objects per answer would be measured with the
 * server; a test compares it with HttpCore. Entry class: {@link dev.millrace.load.http.HttpConnection}.
 *
 * <p>Threading: a connection, its timing and its checks belong to one thread; only {@link
 * dev.millrace.load.http.HttpConnection#abort()} may be called from another.
 */
package dev.millrace.load.http;
