/**
 * The UUID web service: makes UUIDs of RFC 9562 for requests as query parameters, XML or JSON documents.
 *
 * <p>Entry class: {@link dev.millrace.uuid.UuidServlet}, which knows HTTP only. {@code XmlReader}, {@code JsonReader}
 * and the {@code ResponseWriter}s know the messages only, and {@code UuidService} knows UUIDs only.
 *
 * <p>Threading: all threads share the servlet and its parts, which are immutable or synchronized. A {@code
 * UuidRequest}, a {@code LimitedBody} and the cursors over it belong to the thread of one request.
 */
@NullMarked
package dev.millrace.uuid;

import org.jspecify.annotations.NullMarked;
