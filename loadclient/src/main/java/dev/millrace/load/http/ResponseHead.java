package dev.millrace.load.http;

import org.jspecify.annotations.Nullable;

/** Status and fields of one answer (RFC 9110 sections 5 and 15). It is valid until the body is read. */
public interface ResponseHead {

    /** RFC 9110 section 15.3.1. */
    int OK = 200;
    /** RFC 9110 section 15.3.7. */
    int PARTIAL_CONTENT = 206;

    /** The status code. */
    int status();

    /** The value of the first field of that name, in any case, or null. */
    @Nullable String field(String name);

    /** Whether a field of that name, which may be one of several, has this value. */
    boolean hasField(String name, String value);

    /** Whether the value of the first field of that name contains a text. It makes no string: each answer is asked. */
    boolean fieldContains(String name, String text);
}
