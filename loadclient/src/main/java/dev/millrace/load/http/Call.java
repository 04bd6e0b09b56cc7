package dev.millrace.load.http;

/**
 * Requests made beforehand, and the check of their answers.
 *
 * @param request   all of it as it goes over the wire, head and body
 * @param check     looks at each answer; belongs to the thread that makes the call
 * @param answers   how many requests it is: more than one are sent at once and answered in turn (RFC 9112 section
 *                  9.3.2)
 * @param stopAfter body bytes after which the answer is broken off, though it goes on; 0 for not at all
 */
public record Call(byte[] request, AnswerCheck check, int answers, long stopAfter) {

    /** Requests whose answers are read to their ends. */
    public Call(byte[] request, AnswerCheck check, int answers) {
        this(request, check, answers, 0);
    }

    /** One request. */
    public Call(byte[] request, AnswerCheck check) {
        this(request, check, 1, 0);
    }
}
