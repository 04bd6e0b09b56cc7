package dev.millrace.peers.soak;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What the clients of a soak have seen. Thread-safe. */
final class SoakCounts {
    private static final int MOST_TOLD = 40;
    /** Of so many ranges one may be answered by the whole file, because it was replaced while a thread stood still. */
    private static final int RANGES_PER_WHOLE = 1000;

    final LongAdder connections = new LongAdder();
    final LongAdder answers = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder resets = new LongAdder();
    /** Answers that said that their file was deleted or truncated at the time. */
    final LongAdder refused = new LongAdder();
    /** Answers that were cut off, of files that were deleted or truncated meanwhile. */
    final LongAdder cut = new LongAdder();
    /** Answers with zeros in place of bytes that were truncated away. */
    final LongAdder cleared = new LongAdder();

    /** Answers to requests for a range. */
    final LongAdder ranges = new LongAdder();
    /** Those of them that were the whole file. */
    final LongAdder whole = new LongAdder();

    final AtomicLong wrong = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private final Map<String, LongAdder> answersByWork = new ConcurrentSkipListMap<>();

    void onAnswer(String work) {
        answers.increment();
        answersByWork.computeIfAbsent(work, key -> new LongAdder()).increment();
    }

    void onWrongByte(String work, Exception x) {
        wrong.incrementAndGet();
        System.err.println(work + ": " + x.getMessage());
    }

    void onError(String work, Exception x) {
        if (errors.incrementAndGet() <= MOST_TOLD) {
            System.err.println(work + ": " + x + (x.getCause() == null ? "" : " by " + x.getCause()));
        }
    }

    /** Whether all was as promised. */
    boolean isGood() {
        return wrong.get() == 0 && errors.get() == 0 && whole.sum() <= 1 + ranges.sum() / RANGES_PER_WHOLE;
    }

    @Override
    public String toString() {
        return String.format(
                "connections %d, answers %d, MB %d, resets %d, refused %d, cut %d, cleared %d, whole %d, wrong bytes %d, errors %d%nanswers %s",
                connections.sum(),
                answers.sum(),
                bytes.sum() / 1_000_000,
                resets.sum(),
                refused.sum(),
                cut.sum(),
                cleared.sum(),
                whole.sum(),
                wrong.get(),
                errors.get(),
                answersByWork);
    }
}
