package dev.millrace.load.scenario;

import dev.millrace.load.http.AnswerCheck;
import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Fault;
import dev.millrace.load.http.Requests;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.Target;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The same GET again and again, answered by the same bytes, which are compared. Immutable. */
public final class FixedWorkload implements Workload {

    private static final int LEAST_BUFFER_BYTES = 8 * 1024;
    private static final int LARGEST_BUFFER_BYTES = 64 * 1024;
    private static final int HEAD_BYTES = 512;

    private final Target target;
    private final byte[] content;
    private final int pipeline;
    private final boolean bytes;
    private final byte[] request;

    /**
     * Makes the request once for all.
     *
     * @param content  the right body; kept, so that the caller must not change it
     * @param pipeline requests sent at once
     * @param bytes    whether bytes matter more than requests
     */
    public FixedWorkload(Target target, byte[] content, int pipeline, boolean bytes) {
        this.target = target;
        this.content = content;
        this.pipeline = pipeline;
        this.bytes = bytes;
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < pipeline; i++) {
            all.writeBytes(Requests.of("GET", target, true, List.of(), null));
        }
        this.request = all.toByteArray();
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public boolean keepAlive() {
        return true;
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

    /** Compares a body while it comes. */
    private static final class ContentCheck implements AnswerCheck {

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
            same = same && end <= content.length
                    && Arrays.equals(chunk, offset, offset + count, content, (int) length, (int) end);
            length = end;
        }

        @Override
        public Failure end() {
            if (status != ResponseHead.OK) {
                return new Failure(Fault.STATUS, "status " + status);
            }
            if (length < content.length) {
                return new Failure(Fault.SHORT_BODY, length + " of " + content.length + " bytes");
            }
            return same ? null : new Failure(Fault.WRONG_CONTENT, "other bytes than expected");
        }
    }
}
