package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.Request;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.Target;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Repeats the same GET, and compares each body with the same bytes. Immutable. */
public final class FixedWorkload implements Workload {

    private static final int LEAST_BUFFER_BYTES = 8 * 1024;
    private static final int LARGEST_BUFFER_BYTES = 64 * 1024;
    private static final int HEAD_BYTES = 512;

    private final Target target;
    private final byte[] content;
    private final int pipeline;
    private final boolean bytes;
    private final Request request;

    /**
     * Makes the request that all clients send.
     *
     * @param content  the right body; the caller must not change it afterwards
     * @param pipeline number of requests sent at once
     * @param bytes    whether throughput counts in bytes instead of requests
     */
    public FixedWorkload(Target target, byte[] content, int pipeline, boolean bytes) {
        this.target = target;
        this.content = content;
        this.pipeline = pipeline;
        this.bytes = bytes;
        this.request = new Request("GET", target, true, List.of(), null).pipelined(pipeline);
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("method", "GET");
        parameters.put("file", target.requestTarget());
        if (pipeline > 1) {
            parameters.put("pipeline", Integer.toString(pipeline));
        }
        return parameters;
    }

    @Override
    public boolean countsBytes() {
        return bytes;
    }

    @Override
    public int readBufferBytes() {
        int all = pipeline * (content.length + HEAD_BYTES);
        return Math.max(LEAST_BUFFER_BYTES, Math.min(LARGEST_BUFFER_BYTES, all));
    }

    @Override
    public Script script(long seed) {
        Call call = new Call(request, new ContentCheck(content), pipeline);
        return () -> call;
    }

    /** Compares a body while it streams by. */
    private static final class ContentCheck implements ResponseCheck {

        private final byte[] content;
        private int status;
        private long length;
        private boolean same;

        ContentCheck(byte[] content) {
            this.content = content;
        }

        @Override
        public void begin(ResponseHead head) {
            status = head.status();
            length = 0;
            same = true;
        }

        @Override
        public void body(byte[] chunk, int offset, int count) {
            long end = length + count;
            same = same
                    && end <= content.length
                    && Arrays.equals(chunk, offset, offset + count, content, (int) length, (int) end);
            length = end;
        }

        @Override
        public @Nullable Failure end() {
            if (status != ResponseHead.OK) {
                return new Failure(FailureKind.STATUS, "status " + status);
            }
            if (length < content.length) {
                return new Failure(FailureKind.SHORT_BODY, length + " of " + content.length + " bytes");
            }
            return same ? null : new Failure(FailureKind.WRONG_CONTENT, "other bytes than expected");
        }
    }
}
