package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.Target;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Wraps another workload, and checks that its answers also carry certain header fields. Immutable. */
public final class ExpectingWorkload implements Workload {

    private final Workload work;
    private final List<Expected> expected;

    /**
     * Wraps a workload. Without fields the workload itself is returned.
     *
     * @param fields {@code Name=value} for one value, {@code Name} for any
     */
    public static Workload of(Workload work, List<String> fields) {
        return fields.isEmpty()
                ? work
                : new ExpectingWorkload(work, fields.stream().map(Expected::of).toList());
    }

    private ExpectingWorkload(Workload work, List<Expected> expected) {
        this.work = work;
        this.expected = expected;
    }

    @Override
    public Target target() {
        return work.target();
    }

    @Override
    public boolean keepAlive() {
        return work.keepAlive();
    }

    @Override
    public Map<String, String> parameters() {
        return work.parameters();
    }

    @Override
    public boolean countsBytes() {
        return work.countsBytes();
    }

    @Override
    public int readBufferBytes() {
        return work.readBufferBytes();
    }

    @Override
    public Script script(long seed) {
        Script script = work.script(seed);
        Expecting check = new Expecting(expected);
        return () -> {
            Call call = script.next();
            check.take(call.check());
            return new Call(call.request(), check, call.answers(), call.stopAfter());
        };
    }

    /** A field and its value; null for any value. */
    private record Expected(String name, @Nullable String value) {

        static Expected of(String text) {
            int equals = text.indexOf('=');
            return equals < 0
                    ? new Expected(text.strip(), null)
                    : new Expected(
                            text.substring(0, equals).strip(),
                            text.substring(equals + 1).strip());
        }

        @Nullable Failure check(ResponseHead head) {
            String field = head.field(name);
            if (field != null && (value == null || head.hasField(name, value))) {
                return null;
            }
            return new Failure(
                    FailureKind.WRONG_HEADER,
                    name + ": " + (field == null ? "(none)" : field) + (value == null ? "" : ", expected " + value));
        }
    }

    private static final class Expecting implements ResponseCheck {

        private final List<Expected> expected;
        private ResponseCheck inner = new StatusCheck();
        private @Nullable Failure failure;
        /** The failure of the answer that was broken off, which the next answer continues. */
        private @Nullable Failure earlier;

        private boolean broken;

        Expecting(List<Expected> expected) {
            this.expected = expected;
        }

        /** Sets the check of the next call. */
        void take(ResponseCheck check) {
            inner = check;
            earlier = broken ? failure : null;
            broken = false;
        }

        @Override
        public void begin(ResponseHead head) {
            failure = earlier;
            for (Expected one : expected) {
                failure = failure == null ? one.check(head) : failure;
            }
            inner.begin(head);
        }

        @Override
        public void body(byte[] chunk, int offset, int length) {
            inner.body(chunk, offset, length);
        }

        @Override
        public void stopped() {
            broken = true;
            inner.stopped();
        }

        @Override
        public @Nullable Failure end() {
            Failure other = inner.end();
            return other != null ? other : failure;
        }
    }
}
