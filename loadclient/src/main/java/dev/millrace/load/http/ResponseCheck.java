package dev.millrace.load.http;

import org.jspecify.annotations.Nullable;

/**
 * Checks one answer while it streams by, without keeping it. One thread calls it for one answer after the other: {@link
 * #begin}, {@link #body} any number of times, {@link #end}.
 */
public interface ResponseCheck {

    /** The head of an answer has come. It is valid until this method returns. The check forgets the answer before. */
    void begin(ResponseHead head);

    /** Some bytes of the body have come. They belong to the caller again when this method returns. */
    void body(byte[] bytes, int offset, int length);

    /** The body is complete by its framing. Returns what is wrong with the answer, or null. */
    @Nullable Failure end();

    /** The body was broken off because {@link Call#stopAfter()} asked for it. {@link #end} is not called then. */
    default void stopped() {
        throw new UnsupportedOperationException("calls of this check are not broken off");
    }
}
