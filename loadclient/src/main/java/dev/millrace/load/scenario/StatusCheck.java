package dev.millrace.load.scenario;

import dev.millrace.load.http.AnswerCheck;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Fault;
import dev.millrace.load.http.ResponseHead;

/** Looks at the status alone. */
final class StatusCheck implements AnswerCheck {

    private int status;

    @Override
    public void begin(ResponseHead head) {
        status = head.status();
    }

    @Override
    public void body(byte[] bytes, int offset, int length) {
        // Any body is right.
    }

    @Override
    public Failure end() {
        return status == ResponseHead.OK ? null : new Failure(Fault.STATUS, "status " + status);
    }
}
