package dev.millrace.load.http;

/**
 * Requests made beforehand, and the check of their answers.
 *
 * @param request   the request
 * @param check     checks each answer; belongs to the thread that makes the call
 * @param answers   number of answers, see {@link Request#pipelined}
 * @param stopAfter body bytes after which the answer is broken off; 0 reads all of it
 */
public record Call(Request request, ResponseCheck check, int answers, long stopAfter) {

    /** One request, whose answer is read to its end. */
    public Call(Request request, ResponseCheck check) {
        this(request, check, 1, 0);
    }
}
