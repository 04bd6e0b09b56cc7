package dev.millrace.load.scenario;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/** Checks the status and accepts any body. Used by one thread. */
class StatusCheck implements ResponseCheck {

    private int status;

    @Override
    public void begin(ResponseHead head) {
        status = head.status();
    }

    @Override
    public void body(byte[] bytes, int offset, int length) {
        // Any body is accepted.
    }

    @Override
    public @Nullable Failure end() {
        return status == ResponseHead.OK ? null : new Failure(FailureKind.STATUS, "status " + status);
    }
}
