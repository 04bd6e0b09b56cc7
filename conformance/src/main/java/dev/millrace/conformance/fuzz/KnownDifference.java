package dev.millrace.conformance.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Differences between the control and our connectors that are right, each with its reason. No bytes are left out of a
 * comparison because of one.
 */
enum KnownDifference {
    /**
     * Jetty's connector closes while bytes of the peer are unread, so that the system resets the connection and drops the end of a
     * good answer. Ours linger (decision 0020): the answer begins with the same bytes, and ends in order. Each of our answers has
     * begun on the control's side too: one of which nothing was left might have been another.
     */
    CONTROL_WAS_RESET {
        @Override
        boolean explains(Input input, Outcome ours, Outcome controls) {
            return controls.end() == Outcome.End.RESET
                    && ours.end() == Outcome.End.FIN
                    && ours.answer().startsWith(controls.answer())
                    && ours.statuses().equals(controls.statuses());
        }
    },
    /** A part of several ranges goes by the kernel as one chunk, where Jetty's copy of it makes a chunk of each 8 KiB. */
    PART_IS_ONE_CHUNK {
        @Override
        boolean explains(Input input, Outcome ours, Outcome controls) {
            return ours.end() == controls.end()
                    && ours.answer().contains("multipart/byteranges")
                    && Chunks.join(ours.answer()).equals(Chunks.join(controls.answer()));
        }
    },
    /**
     * An answer that failed half-way is cut off by closing. If bytes of the peer are unread at that time, a reset follows the end of the
     * output. It overtakes an end that has not left. So it is with Jetty's connector too, as FailedAnswerContractTest shows; BIO reads
     * less ahead. Whether an answer is whole is seen by its length or its chunks, if it has such.
     */
    FAILED_ANSWER_IS_RESET {
        @Override
        boolean explains(Input input, Outcome ours, Outcome controls) {
            return ours.end() == Outcome.End.RESET
                    && controls.end() == Outcome.End.FIN
                    && controls.answer().startsWith(ours.answer())
                    && mayHaveFailed(SentRequests.of(input), controls);
        }

        // The last answer is cut off, or it fails after it has begun and has no end that would tell. An application
        // that mirrors content fails when that is malformed, or ends early.
        private boolean mayHaveFailed(List<SentRequests.Sent> requests, Outcome controls) {
            Answers.Ending ending = Answers.ending(controls.answer(), requests);
            int last = controls.answers() - 1;
            if (ending != Answers.Ending.UNSEEN || last < 0 || last >= requests.size()) {
                return ending == Answers.Ending.CUT_OFF;
            }
            SentRequests.Sent request = requests.get(last);
            return request.isOf("fail-late") || (request.isOf("early") && request.contentFails());
        }
    },
    /**
     * Jetty answers a head that ends early on one thread and ends the output on another, as MalformedRequestsTest says. Either may be first,
     * with its connector and with ours.
     */
    ANSWER_TO_EARLY_END_MAY_BE_MISSING {
        @Override
        boolean explains(Input input, Outcome ours, Outcome controls) {
            // It is missing on one side at most: two of them have the same bytes.
            return ours.end() == controls.end()
                    && (withoutAnswerToEarlyEnd(input, ours.answer()).equals(controls.answer())
                            || withoutAnswerToEarlyEnd(input, controls.answer()).equals(ours.answer()));
        }

        // Jetty sends an error page for GET, POST and HEAD only.
        private String withoutAnswerToEarlyEnd(Input input, String answer) {
            int last = answer.lastIndexOf("HTTP/1.1 400 Bad Request\r\n");
            boolean isAnswer = last >= 0
                    && (answer.indexOf("<title>Error 400 Early EOF</title>", last) > 0
                            || (answer.indexOf("\r\nContent-Length: 0\r\n", last) > 0 && endsInHead(input)));
            return isAnswer ? answer.substring(0, last) : answer;
        }

        // The input ends in a head, whose last, empty line is missing.
        private boolean endsInHead(Input input) {
            String sent = text(input);
            return !sent.endsWith("\n\r\n") && !sent.endsWith("\n\n");
        }
    };

    abstract boolean explains(Input input, Outcome ours, Outcome controls);

    private static String text(Input input) {
        return new String(input.bytes(), StandardCharsets.ISO_8859_1);
    }

    /** The difference that explains two outcomes for an input; null if none does. */
    static KnownDifference between(Input input, Outcome ours, Outcome controls) {
        for (KnownDifference one : values()) {
            if (one.explains(input, ours, controls)) {
                return one;
            }
        }
        return null;
    }
}
