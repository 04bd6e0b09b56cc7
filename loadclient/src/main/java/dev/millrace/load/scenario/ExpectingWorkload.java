package dev.millrace.load.scenario;

import dev.millrace.load.http.AnswerCheck;
import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Fault;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.Target;
import java.util.List;
import java.util.Map;

/** Other work whose answers must carry certain header fields besides. Immutable. */
public final class ExpectingWorkload implements Workload {

    private final Workload work;
    private final List<Expected> expected;

    /**
     * Wraps work; without fields it is returned as it is.
     *
     * @param fields {@code Name=value} for a value, {@code Name} for any
     */
    public static Workload of(Workload work, List<String> fields) {
        return fields.isEmpty() ? work : new ExpectingWorkload(work, fields.stream().map(Expected::of).toList());
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

    /** A field, and its value or null. */
    private record Expected(String name, String value) {

        static Expected of(String text) {
            int equals = text.indexOf('=');
            return equals < 0 ? new Expected(text.strip(), null)
                    : new Expected(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
        }

        Failure check(ResponseHead head) {
            String field = head.field(name);
            if (field != null && (value == null || value.equals(field))) {
                return null;
            }
            return new Failure(Fault.WRONG_HEADER, name + ": " + (field == null ? "(none)" : field)
                    + (value == null ? "" : ", expected " + value));
        }
    }

    private static final class Expecting implements AnswerCheck {

        private final List<Expected> expected;
        private AnswerCheck inner;
        private Failure failure;
        /** Of the answer that was broken off, which the next one goes on with. */
        private Failure earlier;
        private boolean broken;

        Expecting(List<Expected> expected) {
            this.expected = expected;
        }

        /** Another call, whose answers are checked by this too. */
        void take(AnswerCheck check) {
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
        public Failure end() {
            Failure other = inner.end();
            return other != null ? other : failure;
        }
    }
}
