/**
 * The UUID web service: makes UUIDs of RFC 9562 for requests that come as query parameters or as XML documents.
 * HTTP, XML and UUIDs are kept apart: {@link dev.millrace.uuid.UuidServlet} (start here) speaks HTTP only,
 * {@code XmlReader} and the {@code AnswerWriter}s know the messages only, {@code UuidService} knows UUIDs only.
 *
 * <p>Threading: the servlet and everything that it holds are shared by all threads, and are immutable or guard
 * themselves. An {@code Order}, a {@code LimitedBody} and the cursors over it belong to the thread of one request.
 */
package dev.millrace.uuid;
