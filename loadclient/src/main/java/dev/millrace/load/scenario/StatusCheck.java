package dev.millrace.load.scenario;

import dev.millrace.load.http.AnswerCheck;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Fault;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpStatus;

/** Looks at the status alone. */
final class StatusCheck implements AnswerCheck {

    private int status;

    @Override
    public void begin(HttpResponse head) {
        status = head.getCode();
    }

    @Override
    public void body(byte[] bytes, int offset, int length) {
        // Any body is right.
    }

    @Override
    public Failure end() {
        return status == HttpStatus.SC_OK ? null : new Failure(Fault.STATUS, "status " + status);
    }
}
