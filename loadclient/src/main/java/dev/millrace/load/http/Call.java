package dev.millrace.load.http;

/**
 * A request made beforehand, and the check of its answer.
 *
 * @param request the whole request as it goes over the wire, head and body
 * @param check   looks at the answer; belongs to the thread that makes the call
 */
public record Call(byte[] request, AnswerCheck check) {
}
