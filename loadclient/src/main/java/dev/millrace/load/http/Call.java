package dev.millrace.load.http;

/**
 * Requests made beforehand, and the check of their answers.
 *
 * @param request    the request
 * @param check      checks each answer; belongs to the thread that makes the call
 * @param answers    number of answers, see {@link Request#pipelined}
 * @param stopAfter  body bytes after which the answer is broken off; 0 reads all of it
 */
public record Call(Request request, ResponseCheck check, int answers, long stopAfter) {

    /** Requests whose answers are read to their end. */
    public Call(Request request, ResponseCheck check, int answers) {
        this(request, check, answers, 0);
    }

    /** One request, whose answer is read to its end. */
    public Call(Request request, ResponseCheck check) {
        this(request, check, 1);
    }

    /** How many of the next body bytes are taken: those behind the place at which it is broken off are not. */
    int taken(long received, int next) {
        return stopAfter == 0 ? next : (int) Math.min(next, stopAfter - received);
    }

    /** Whether the answer is read on after so many body bytes. */
    boolean goesOn(long received) {
        return stopAfter == 0 || received < stopAfter;
    }
}
