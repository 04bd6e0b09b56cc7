package dev.millrace.load.http;

/**
 * Looks at one answer while it streams by, without keeping it. Used by one thread, for one answer after the other:
 * {@link #begin}, any number of {@link #body}, {@link #end}.
 */
public interface AnswerCheck {

    /** The head of an answer has come, valid until this returns; forgets the answer before. */
    void begin(ResponseHead head);

    /** Some bytes of the body; they belong to the caller again on return. */
    void body(byte[] bytes, int offset, int length);

    /** The body is complete as far as its framing goes. Returns what is wrong with the answer, or null. */
    Failure end();

    /** The body was broken off as the call wanted it; {@link #end} is not called then. */
    default void stopped() {
        throw new UnsupportedOperationException("calls of this check are not broken off");
    }
}
