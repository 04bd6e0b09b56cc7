package dev.millrace.load.http;

/**
 * Requests made beforehand, and the check of their answers.
 *
 * @param request    the request
 * @param check      checks each answer; belongs to the thread that makes the call
 * @param answers    number of answers, see {@link Request#pipelined}
 * @param stopAfter  body bytes after which the answer is broken off; 0 reads all of it
 * @param wholeBytes body bytes of the whole answer, of which nothing is left to break off; not every server announces them
 */
public record Call(Request request, ResponseCheck check, int answers, long stopAfter, long wholeBytes) {

    /** Requests whose answers are read to their end. */
    public Call(Request request, ResponseCheck check, int answers) {
        this(request, check, answers, 0, Long.MAX_VALUE);
    }

    /** One request, whose answer is read to its end. */
    public Call(Request request, ResponseCheck check) {
        this(request, check, 1);
    }

    /**
     * Whether the answer is read on.
     *
     * @param received  body bytes so far
     * @param announced those that the server has announced, or a negative number
     */
    boolean goesOn(long received, long announced) {
        return stopAfter == 0 || received < stopAfter || received == announced || received >= wholeBytes;
    }
}
