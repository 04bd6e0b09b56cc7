/**
 * Connections for a client that measures: HTTP/1.1 and HTTP/2, in clear text and over TLS. Requests are made
 * beforehand, every answer is checked while it streams by, and every failure has a {@linkplain
 * dev.millrace.load.http.FailureKind kind}. The caller owns a connection. Entry class: {@link
 * dev.millrace.load.http.Connections}.
 *
 * <p>Answers of HTTP/1.1 are read by {@link dev.millrace.load.http.ResponseReader}. A library makes objects for each
 * answer, and their cost would be measured with the server. A test compares the reader with HttpCore. Frames and field
 * blocks of HTTP/2 are read by HttpCore.
 *
 * <p>Threading: a connection, its timing and its checks belong to one thread. Another may close the socket alone, which
 * {@link dev.millrace.load.http.Connections#open} shows before it connects.
 */
@NullMarked
package dev.millrace.load.http;

import org.jspecify.annotations.NullMarked;
